#include "rules.h"

#include "profile.h"

#include <string.h>

static const char reservation[] = "handoff:";

/* The lock key before the script. */
static store_key before;
static bool was_there;
/* Whether its reservation, if it was one, had been picked up by nobody. */
static bool nobody_picked_it_up;
/* Whether there was a fence for a release to be compared with. */
static bool fence_was_there;

/* And not another one, which a signal handler took. */
static bool is_about_the_lock(rl_script_id id, const store_text *keys)
{
	return id == RL_SCRIPT_QUORUM_NODE || store_same(keys[0], process_lock_key());
}

void rules_before_script(node *node, rl_script_id id, const store_text *arguments)
{
	const store_key *key;

	if (!is_about_the_lock(id, arguments)) {
		return;
	}
	nobody_picked_it_up = id == RL_SCRIPT_ACQUIRE && store_find(&node->store, process_wake_key()) != NULL;
	fence_was_there = id == RL_SCRIPT_RELEASE && store_find(&node->store, arguments[1]) != NULL;
	key = store_find(&node->store, process_lock_key());
	was_there = key != NULL;
	if (was_there) {
		before.text_length = key->text_length;
		memcpy(before.text, key->text, key->text_length);
		before.expires_ms = key->expires_ms;
	} else {
		node->grant.operation = -1;
	}
}

static store_text text_of(const store_key *key)
{
	return (store_text) {key->text, key->text_length};
}

static bool is_reservation(const store_key *key)
{
	return key->text_length > sizeof(reservation) - 1 && memcmp(key->text, reservation, sizeof(reservation) - 1) == 0;
}

/* A fence alone: 1. Else the number that the reply or its first element is, -1: it is none. */
static int64_t verdict_of(const rl_buffer *reply)
{
	size_t at = reply->length > 0 && reply->data[0] == '*' ? 4 : 0;

	if (reply->length > 0 && reply->data[0] == '$') {
		return 1;
	}
	if (reply->length < at + 2 || reply->data[at] != ':') {
		return -1;
	}
	return reply->data[at + 1] - '0';
}

static int64_t number_of(const char *digits)
{
	int64_t number = 0;

	for (; digits != NULL && *digits >= '0' && *digits <= '9'; digits++) {
		number = number * 10 + (*digits - '0');
	}
	return number;
}

/* The fence of a grant, alone or in {1, fence}: "$16\r\n1790000000000000\r\n". */
static int64_t fence_of(const rl_buffer *reply)
{
	const char *end = reply->data + reply->length;
	const char *at = memchr(reply->data, '$', reply->length);

	at = at == NULL ? NULL : memchr(at, '\n', (size_t) (end - at));
	return at == NULL ? 0 : number_of(at + 1);
}

static void break_rule(const node *node, const wire *wire, rl_script_id id, const char *what)
{
	sim_break("script: %s of c%d on n%d %s (it was %.*s before)", rl_script_get(id)->name, wire->client,
		(int) (node - node_all), what, was_there ? (int) before.text_length : 4, was_there ? before.text : "free");
}

/* The lock key is held: the next to be granted it must have a reason. */
static bool may_take(const store_text *arguments, int keys, int count)
{
	if (!was_there) {
		return true;
	}
	if (is_reservation(&before)) {
		return nobody_picked_it_up || (count > keys + 4 && store_same(arguments[keys + 4], text_of(&before)));
	}
	for (int i = keys + 5; i < count; i++) {
		if (store_same(arguments[i], text_of(&before))) {
			return true;
		}
	}
	return false;
}

static void after_acquire(node *node, const wire *wire, const store_text *arguments, int keys, int count,
	int64_t verdict)
{
	bool was_held = was_there && !is_reservation(&before);
	bool was_woken = count > keys + 4 && arguments[keys + 4].length > 0;
	int number;
	process *holder;

	sim_counts[SIM_REPEATS] += count > keys + 5;
	if (verdict == 1) {
		if (!may_take(arguments, keys, count)) {
			break_rule(node, wire, RL_SCRIPT_ACQUIRE, "was granted what somebody else holds");
		}
		sim_counts[SIM_RENAMED] += was_held;
		sim_counts[SIM_HAND_OVERS] += was_there && !was_held && was_woken;
		sim_counts[SIM_TAKEN_OVER] += was_there && !was_held && !was_woken;
		return;
	}
	if (verdict == 2) {
		sim_counts[SIM_ASKED_AGAIN]++;
		if (!was_there || was_held || keys > 2) {
			break_rule(node, wire, RL_SCRIPT_ACQUIRE, "was asked for a wake list that would tell nothing");
		}
		return;
	}
	if (verdict != 0) {
		return;
	}
	if (!was_there) {
		break_rule(node, wire, RL_SCRIPT_ACQUIRE, "was told that a free lock is held");
	} else if (!was_held && nobody_picked_it_up) {
		break_rule(node, wire, RL_SCRIPT_ACQUIRE, "was told that a lock is held which is reserved for nobody");
	} else if (was_held) {
		holder = process_of_token(text_of(&before), &number);
		if (holder != NULL && holder->id == wire->client && !holder->tokens[number].owned && !holder->dead
				&& holder->tokens[number].operation == holder->operation && number < holder->token_count - 1
				&& number >= holder->token_count - RL_MAX_UNANSWERED
				&& process_of_token(arguments[keys], &number) == holder && number == holder->token_count - 1) {
			break_rule(node, wire, RL_SCRIPT_ACQUIRE, "was told that somebody else holds the lock, and it is itself");
		}
	}
}

/* An operation with a token of its own may release nothing else; with a chosen one, only what it acquired. */
static void after_release(node *node, const wire *wire, const store_text *arguments, int keys, int count,
	int operation, int64_t verdict)
{
	/* Left out where it would say nothing. */
	store_text fence = count > keys + 1 ? arguments[keys + 1] : (store_text) {0};
	bool same = was_there && store_same(arguments[keys], text_of(&before));
	struct operation *releaser = operation >= 0 ? &operation_all[operation] : NULL;
	int acquired_by = releaser == NULL ? -1 : releaser->of >= 0 ? releaser->of : operation;
	/* Not of the holder, for whom smaller ones count, too. */
	bool is_undo = sim_profile.quorum && fence.length > 0 && arguments[count - 1].data[0] != 's';

	if (verdict == 1) {
		if (!same) {
			break_rule(node, wire, RL_SCRIPT_RELEASE, "gave back what another token holds");
		}
		if (fence.length > 0 && fence_was_there && node->grant.operation >= 0
				&& node->grant.fence > number_of(fence.data)) {
			break_rule(node, wire, RL_SCRIPT_RELEASE, "gave back a later acquisition with the same token");
		}
		if (is_undo && fence_was_there && node->grant.operation >= 0
				&& node->grant.fence != number_of(fence.data)
				&& node->grant.fence != number_of(arguments[count - 1].data)) {
			break_rule(node, wire, RL_SCRIPT_RELEASE, "a failed attempt gave back another acquisition with the same token");
		}
		if (releaser != NULL) {
			releaser->released = true;
		}
		sim_counts[SIM_PASSED_ON] += is_reservation(&before);
	} else if (verdict == 0 && same && node->grant.operation >= 0 && node->grant.operation == acquired_by) {
		/* A node of a quorum that granted more than the others, after it was decided, keeps a chosen token's lock. */
		releaser->not_ours++;
		if (sim_profile.quorum && node->grant.fence <= number_of(fence.data)) {
			break_rule(node, wire, RL_SCRIPT_RELEASE, "did not give back what is its own");
		}
	}
}

static bool is_unchanged(const store_key *key)
{
	if (!was_there || key == NULL) {
		return !was_there && key == NULL;
	}
	return key->expires_ms == before.expires_ms && store_same(text_of(key), text_of(&before));
}

/* A reservation that would last longer than it was made for, because the clock was set back, is cut. */
static bool is_reservation_cut(const node *node, const store_key *key)
{
	return was_there && is_reservation(&before) && key != NULL && store_same(text_of(key), text_of(&before))
		&& before.expires_ms > node->store.time_us / 1000 + 500 && key->expires_ms == node->store.time_us / 1000 + 500;
}

/* Which scripts may do what to the lock key. */
static void check_change(node *node, const wire *wire, rl_script_id id, const store_key *key,
	const store_text *arguments, int keys, int64_t verdict)
{
	bool same = was_there && store_same(arguments[keys], text_of(&before));

	switch (id) {
		case RL_SCRIPT_RENEW:
			if (!same && !is_unchanged(key)) {
				break_rule(node, wire, id, "changed a lock that is another token's");
			} else if (same && (key == NULL || !store_same(text_of(key), text_of(&before))
					|| key->expires_ms < before.expires_ms)) {
				break_rule(node, wire, id, "made a lease shorter");
			}
			break;
		case RL_SCRIPT_RELEASE:
			if (verdict != 1 && !is_unchanged(key)) {
				break_rule(node, wire, id, "said that the lock is not its own, and changed it");
			}
			break;
		case RL_SCRIPT_ACQUIRE:
		case RL_SCRIPT_QUORUM_ACQUIRE:
			if (verdict != 1 && !is_unchanged(key) && !(id == RL_SCRIPT_ACQUIRE && is_reservation_cut(node, key))) {
				break_rule(node, wire, id, "was not granted the lock, and changed it");
			}
			if (id == RL_SCRIPT_QUORUM_ACQUIRE && verdict == 1 && was_there) {
				break_rule(node, wire, id, "was granted what somebody else holds");
			}
			break;
		case RL_SCRIPT_POKE:
			if (was_there && !is_unchanged(key) && !is_reservation_cut(node, key)) {
				break_rule(node, wire, id, "changed a lock that is held");
			}
			break;
		default:
			if (!is_unchanged(key)) {
				break_rule(node, wire, id, "changed the lock");
			}
			break;
	}
	if (key != NULL && rules_are_leases_kept()) {
		int64_t left_ms = key->expires_ms - node->store.time_us / 1000;

		if (key->expires_ms == 0 || left_ms > (is_reservation(key) ? 500 : sim_profile.most_lease_ms)) {
			break_rule(node, wire, id, "left a lock that stays for longer than any lease");
		}
	}
}

static void count_script(rl_script_id id, int64_t verdict, int operation)
{
	static int raised_by;

	switch (id) {
		case RL_SCRIPT_RAISE:
			/* One round asks several nodes. */
			sim_counts[SIM_RAISES] += operation != raised_by;
			raised_by = operation;
			break;
		case RL_SCRIPT_POKE:
			sim_counts[SIM_POKES]++;
			sim_counts[SIM_POKE_RESERVED] += !was_there;
			break;
		default:
			break;
	}
	sim_counts[SIM_SIT_OUTS] += verdict == 2;
}

/* What became of the lock key: for the rules that look at more than one script. */
static void follow(node *node, const wire *wire, rl_script_id id, const store_key *key, int operation, int64_t verdict,
	int64_t fence)
{
	bool grants = verdict == 1 && (id == RL_SCRIPT_ACQUIRE || id == RL_SCRIPT_QUORUM_ACQUIRE
		|| id == RL_SCRIPT_ATTACH || id == RL_SCRIPT_QUORUM_ATTACH);
	bool was_held = was_there && !is_reservation(&before);

	if (grants) {
		node->grant = (node_grant) {
			.operation = operation, .fence = fence, .wire = wire_number(wire), .wire_generation = wire->generation
		};
		sim_counts[SIM_LATE_GRANTS] += operation >= 0 && operation_all[operation].over;
		rules_granted(text_of(key), &process_all[wire->client]);
		rules_progress_granted();
	} else if (id == RL_SCRIPT_RAISE && verdict == 1 && key != NULL) {
		/* Of two that attach with the same token, the last one to raise has the larger fence. */
		rules_granted(text_of(key), &process_all[wire->client]);
		node->grant.fence = fence > node->grant.fence ? fence : node->grant.fence;
	}
	if (key == NULL || is_reservation(key)) {
		node->grant.operation = -1;
	}
	if (key != NULL && !is_reservation(key)) {
		rules_progress_held(node_when_over(node, key->expires_ms));
	} else if (was_held || (id == RL_SCRIPT_RELEASE && verdict == 1)) {
		rules_progress_freed(node, id == RL_SCRIPT_RELEASE);
	}
	if (!is_unchanged(key)) {
		rules_lock_changed();
	}
}

void rules_after_script(node *node, wire *wire, rl_script_id id, const store_text *arguments, int keys, int count,
	int operation, const rl_buffer *reply)
{
	int64_t verdict = verdict_of(reply);
	struct operation *of = operation >= 0 ? &operation_all[operation] : NULL;
	const store_key *key;

	sim_mix((uint64_t) id << 8 ^ (uint64_t) verdict);
	if (!is_about_the_lock(id, arguments)) {
		return;
	}
	key = store_find(&node->store, process_lock_key());
	if (of != NULL && verdict == 1 && id != RL_SCRIPT_QUORUM_NODE && id != RL_SCRIPT_INSPECT) {
		/* What a call took and gave back itself does not count. */
		of->ran = of->kind == OPERATION_ACQUIRE ? id == RL_SCRIPT_ACQUIRE : true;
		if (of->over && of->status == RL_CONNECTION && of->ran && !of->forked) {
			break_rule(node, wire, id, "belongs to a call that said that nothing was sent");
		}
	}
	count_script(id, verdict, operation);
	if (id == RL_SCRIPT_ACQUIRE) {
		after_acquire(node, wire, arguments, keys, count, verdict);
	}
	if (id == RL_SCRIPT_RAISE && verdict == 1 && (key == NULL || !store_same(arguments[keys], text_of(key)))) {
		break_rule(node, wire, id, "raised the fence of a lock that its token does not hold");
	}
	if (id == RL_SCRIPT_RELEASE) {
		after_release(node, wire, arguments, keys, count, operation, verdict);
	}
	if (id != RL_SCRIPT_QUORUM_NODE) {
		check_change(node, wire, id, key, arguments, keys, verdict);
		follow(node, wire, id, key, operation, verdict, fence_of(reply));
	}
}

/*
 * A send that was given up has a release behind it on its connection. So when everything on that connection has been
 * read, the token does not hold the lock, unless the network broke the connection.
 */
void rules_check_orphan(node *node)
{
	const store_key *key = node_lock(node);
	const wire *wire;
	const process *maker;
	int number, open = 0;

	if (key == NULL || node->grant.operation < 0 || !node->up || node->hangs) {
		return;
	}
	maker = process_of_token(text_of(key), &number);
	if (maker == NULL || maker->dead || maker->ends || maker->tokens[number].owned) {
		return;
	}
	if (number == maker->token_count - 1 && !operation_all[maker->tokens[number].operation].over) {
		/* Still under way. */
		return;
	}
	wire = &wire_all[node->grant.wire];
	if (wire->generation != node->grant.wire_generation || wire->cut || wire->mixed) {
		return;
	}
	if (wire->up.end != WIRE_RESET && wire->up.taken < wire->up.limit && wire->up.taken < wire->up.bytes.length) {
		/* More is to come. */
		return;
	}
	for (int i = 0; i < WIRE_MOST; i++) {
		open += wire_all[i].used && wire_all[i].client == maker->id && wire_all[i].client_open;
	}
	if (open > RL_POOL_MAX_PARKED) {
		/* Only so many are kept; what is lost with the oldest, its lease bounds. */
		return;
	}
	sim_break("orphan: n%d granted the lock to a send that c%d had given up (%.8s), and nothing gives it back",
		(int) (node - node_all), maker->id, key->text);
}

void rules_input_taken(const wire *wire)
{
	node *node = &node_all[wire->node];

	if (node->grant.operation >= 0 && node->grant.wire == wire_number(wire)) {
		rules_check_orphan(node);
	}
}
