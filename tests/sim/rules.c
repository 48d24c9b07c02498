#include "rules.h"

#include "faults.h"
#include "profile.h"

#include <string.h>

enum {
	ACQUISITIONS = 128,
	SHARED = 8,
	/* poll() counts whole milliseconds, and the simulated scheduler takes up to 60 us. */
	SLACK_US = 3000
};

/* One acquisition that was completed, in the order in which they were. */
typedef struct acquisition {
	int64_t fence;
	int64_t at;
	int client;
} acquisition;

static acquisition acquisitions[ACQUISITIONS];
static int acquisition_count;

/* A clock of a node was set: then leases on it can end early, and DESIGN, section 5, promises only the fences. */
static bool exclusive;

/* Tokens that were given back by whoever knew them. */
static char given_back[SHARED][RL_TOKEN_MAX_CHOSEN];
static size_t given_back_length[SHARED];
static int given_back_count;

static const char *const names[] = {
	"", "acquire", "attach", "renew", "release", "abandon", "release by token", "renew by token", "inspect", "initialize"
};

void rules_begin(void)
{
	acquisition_count = 0;
	given_back_count = 0;
	exclusive = true;
	rules_progress_begin();
}

void rules_clock_set(void)
{
	exclusive = false;
}

static store_text token_of(const process *process)
{
	return (store_text) {process->lock.token, process->lock.token_length};
}

static bool is_given_back(store_text token)
{
	for (int i = 0; i < given_back_count; i++) {
		if (store_same((store_text) {given_back[i], given_back_length[i]}, token)) {
			return true;
		}
	}
	return false;
}

bool rules_is_valid(const process *process)
{
	return process->relies && !process->superseded && process->lock.token != NULL
		&& process->lock.valid_until > process_clock(process) && !is_given_back(token_of(process));
}

bool rules_are_leases_kept(void)
{
	return exclusive;
}

/* One node only: what it forgot, no client can know of. The fence is what protects then. */
static bool is_from_before_a_loss(const process *process)
{
	return !sim_profile.quorum && process->acquired_by >= 0
		&& operation_all[process->acquired_by].started <= node_all[0].lost_at;
}

static void check_exclusion(const process *process)
{
	for (int i = 0; i < SIM_CLIENTS; i++) {
		const struct process *other = &process_all[i];

		if (other == process || !rules_is_valid(other) || store_same(token_of(other), token_of(process))
				|| is_from_before_a_loss(other) || is_from_before_a_loss(process)) {
			continue;
		}
		sim_break("exclusion: c%d (%.8s, fence %lld) and c%d (%.8s, fence %lld) hold the lock at the same time",
			process->id, process->lock.token, (long long) process->lock.fence, other->id, other->lock.token,
			(long long) other->lock.fence);
	}
}

/* A node that forgot, since the lease began, sits out instead: as good as a lease there. */
static bool protects(node *node, const process *process, int64_t until)
{
	const store_key *key = node_lock(node);

	if (node->lost_at >= operation_all[process->acquired_by].started) {
		return true;
	}
	/* Two microseconds for what the conversions of clocks round. */
	return key != NULL && store_same((store_text) {key->text, key->text_length}, token_of(process))
		&& node_when_over(node, key->expires_ms) + 2 >= until;
}

/* A lease that is valid here is a lease there. */
static void check_lease(const process *process)
{
	int64_t until = process_when(process, process->lock.valid_until);
	int protecting = 0;

	for (int i = 0; i < sim_profile.nodes; i++) {
		protecting += protects(&node_all[i], process, until);
	}
	if (protecting < sim_profile.nodes / 2 + 1) {
		sim_break("lease: c%d relies on its lease (%.8s) until %.6f, but only %d of %d nodes protect it so long",
			process->id, process->lock.token, (double) until / SIM_S, protecting, sim_profile.nodes);
	}
}

/*
 * Who has the same token counts as the same owner to release and renew (DESIGN, section 3), so none of several
 * processes that got the lock with one token can rely on it against the others. detach() ends that.
 */
void rules_granted(store_text token, process *to)
{
	for (int i = 0; i < SIM_CLIENTS; i++) {
		process *other = &process_all[i];

		if (other != to && store_same((store_text) {other->granted, other->granted_length}, token)) {
			other->superseded = to->superseded = true;
		}
	}
	memcpy(to->granted, token.data, token.length);
	to->granted_length = token.length;
}

void rules_given_back(store_text token)
{
	if (given_back_count < SHARED) {
		memcpy(given_back[given_back_count], token.data, token.length);
		given_back_length[given_back_count++] = token.length;
	}
}

void rules_lock_changed(void)
{
	for (int i = 0; i < SIM_CLIENTS && exclusive; i++) {
		if (rules_is_valid(&process_all[i])) {
			check_lease(&process_all[i]);
		}
	}
}

void rules_observe(process *process)
{
	operation_kind kind = process->operation < 0 ? OPERATION_NONE : operation_all[process->operation].kind;

	if (!process->has_lock || process->lock.valid_until == process->seen_valid_until) {
		return;
	}
	process->seen_valid_until = process->lock.valid_until;
	if (process->lock.valid_until == 0 || kind == OPERATION_RELEASE || kind == OPERATION_ABANDON) {
		return;
	}
	if (kind == OPERATION_ACQUIRE || kind == OPERATION_ATTACH) {
		process->acquired_by = process->operation;
	}
	process->relies = true;
	if (exclusive && rules_is_valid(process)) {
		check_exclusion(process);
		check_lease(process);
	}
}

void rules_operation_begins(process *process, operation_kind kind, int64_t wait_us, int of)
{
	operation *operation = &operation_all[operation_count];

	rules_observe(process);
	*operation = (struct operation) {
		.kind = kind, .client = process->id, .of = of, .started = sim_now, .wait_us = wait_us
	};
	process->operation = operation_count++;
	process->operation_clock = process_clock(process);
	process->operation_paused = process->paused_us;
	/* A signal before the call was dealt with before the call. */
	process->signal = process->signal_forks = false;
	if (kind == OPERATION_RELEASE || kind == OPERATION_ABANDON) {
		process->relies = false;
	}
	if (kind == OPERATION_ACQUIRE || kind == OPERATION_ATTACH) {
		process->superseded = false;
	}
	if (wait_us > 0) {
		sim_trace("c%d: %s, waiting up to %.3f ms", process->id, names[kind], (double) wait_us / SIM_MS);
	} else {
		sim_trace("c%d: %s", process->id, names[kind]);
	}
}

static int64_t budget(const operation *operation, const rl_client *client)
{
	switch (operation->kind) {
		case OPERATION_ABANDON:
			return client->nodes != NULL ? 0 : client->connect_timeout_us < client->timeout_us
				? client->connect_timeout_us : client->timeout_us;
		case OPERATION_INITIALIZE:
			/* Two calls, one after the other. */
			return 4 * client->timeout_us;
		default:
			return operation->wait_us + 2 * client->timeout_us;
	}
}

static void check_time(const process *process, const operation *operation)
{
	int64_t took = process_clock(process) - process->operation_clock
		- (process->paused_us - process->operation_paused);

	int64_t most = budget(operation, &process->client);

	if (took > most + SLACK_US) {
		sim_break("time: %s of c%d took %.3f ms, and its budget is %.3f ms", names[operation->kind], process->id,
			(double) took / SIM_MS, (double) most / SIM_MS);
	}
}

/*
 * Fences are unique, and larger than every one before. "Before" is certain for an acquisition that was completed before
 * this one began; and, as long as the leases exclude each other, for every one that was completed while this one now
 * still holds the lock. An attach shares the lock with others that have the token, so nothing orders those two.
 */
static void check_fence(const process *process, const operation *operation)
{
	bool strong = operation->kind == OPERATION_ACQUIRE && exclusive && rules_is_valid(process)
		&& !is_from_before_a_loss(process);
	int64_t fence = process->lock.fence;

	for (int i = 0; i < acquisition_count; i++) {
		const acquisition *before = &acquisitions[i];

		if (before->fence == fence) {
			sim_break("fence: c%d and c%d both got %lld", before->client, process->id, (long long) fence);
		}
		if (before->fence > fence && (strong || before->at < operation->started)) {
			sim_break("fence: c%d got %lld after c%d had got %lld", process->id, (long long) fence, before->client,
				(long long) before->fence);
		}
	}
	if (acquisition_count < ACQUISITIONS) {
		acquisitions[acquisition_count++] = (acquisition) {.fence = fence, .at = sim_now, .client = process->id};
	}
}

static void check_release(const process *process, const operation *operation)
{
	/* What a server forgot meanwhile, nobody can tell; and who has the same token counts as the same owner. */
	if (sim_profile.quorum || !exclusive || process->mixed || process->superseded || is_from_before_a_loss(process)
			|| is_given_back((store_text) {process->granted, process->granted_length})) {
		return;
	}
	if (operation->status == RL_OK && !operation->released) {
		sim_break("release: c%d was told that it gave the lock back, and it did not", process->id);
	}
	if (operation->status == RL_NO && operation->released) {
		sim_break("release: c%d was told that the lock was not its own, and it gave it back", process->id);
	}
	if (operation->status == RL_NO && operation->not_ours > 0) {
		sim_break("release: c%d was told that the lock is not its own, and it still is", process->id);
	}
}

/* Whether a node still has the lock for what it granted to that operation. */
static bool holds_something(int operation)
{
	for (int i = 0; i < sim_profile.nodes; i++) {
		if (node_lock(&node_all[i]) != NULL && node_all[i].grant.operation == operation) {
			return true;
		}
	}
	return false;
}

static void count(const operation *operation)
{
	static const sim_count good[] = {
		[OPERATION_ACQUIRE] = SIM_ACQUIRED, [OPERATION_ATTACH] = SIM_ATTACHED, [OPERATION_RENEW] = SIM_RENEWED,
		[OPERATION_RELEASE] = SIM_RELEASED, [OPERATION_TOKEN_RELEASE] = SIM_RELEASED,
		[OPERATION_TOKEN_RENEW] = SIM_RENEWED, [OPERATION_INSPECT] = SIM_EVENTS, [OPERATION_INITIALIZE] = SIM_EVENTS,
		[OPERATION_ABANDON] = SIM_EVENTS
	};

	switch (operation->status) {
		case RL_OK:
			sim_counts[good[operation->kind]]++;
			break;
		case RL_NO:
			sim_counts[operation->kind == OPERATION_ACQUIRE ? SIM_CONTENDED : SIM_NOT_OURS]++;
			break;
		case RL_LOST:
			sim_counts[SIM_LOST]++;
			break;
		case RL_UNCERTAIN:
			sim_counts[SIM_UNCERTAIN]++;
			break;
		case RL_QUORUM:
			sim_counts[SIM_NO_QUORUM]++;
			break;
		case RL_INTERRUPTED:
			sim_counts[SIM_INTERRUPTED]++;
			break;
		default:
			sim_counts[SIM_FAILED]++;
			break;
	}
}

void rules_operation_ends(process *process, rl_status status)
{
	static const char *const statuses[] = {
		"ok", "no", "no connection", "uncertain", "refused", "no quorum", "lost", "interrupted", "system", "invalid"
	};
	operation *operation = &operation_all[process->operation];

	if (process->dead) {
		process->operation = -1;
		return;
	}
	rules_observe(process);
	operation->status = status;
	if (status == RL_OK && rules_is_valid(process)) {
		sim_trace("c%d: %s: ok, fence %lld, valid until %.6f", process->id, names[operation->kind],
			(long long) process->lock.fence, (double) process_when(process, process->lock.valid_until) / SIM_S);
	} else {
		sim_trace("c%d: %s: %s %s", process->id, names[operation->kind], statuses[status],
			status == RL_OK || status == RL_NO ? "" : process->error.message);
	}
	if (status == RL_SYSTEM || status == RL_INVALID) {
		sim_break("status: %s of c%d: %s", names[operation->kind], process->id, process->error.message);
	}
	count(operation);
	sim_mix((uint64_t) status);
	check_time(process, operation);
	rules_progress_check(process);
	if (operation->kind == OPERATION_ACQUIRE || operation->kind == OPERATION_ATTACH) {
		if (status == RL_OK) {
			check_fence(process, operation);
		}
	}
	if (operation->kind == OPERATION_RELEASE && !operation->forked) {
		check_release(process, operation);
	}
	if (status == RL_CONNECTION && operation->ran && !operation->forked
			&& (operation->kind != OPERATION_ACQUIRE || holds_something(process->operation))) {
		sim_break("status: %s of c%d says that nothing was sent, and it was run", names[operation->kind], process->id);
	}
	operation->over = true;
	process->operation = -1;
	/* A call that gave nothing up leaves a lease as it was. */
	process->relies = process->has_lock && process->lock.token != NULL && process->lock.valid_until != 0;
	if (exclusive && rules_is_valid(process)) {
		check_exclusion(process);
		check_lease(process);
	}
	if (status == RL_OK && process->lock.token != NULL) {
		int number;
		struct process *maker = process_of_token(token_of(process), &number);

		if (maker != NULL) {
			maker->tokens[number].owned = true;
		}
	}
	for (int i = 0; i < sim_profile.nodes; i++) {
		rules_check_orphan(&node_all[i]);
	}
}

void rules_new_token(process *process)
{
	(void) process;
	for (int i = 0; i < sim_profile.nodes; i++) {
		rules_check_orphan(&node_all[i]);
	}
}

void rules_died(process *process, bool loud)
{
	(void) loud;
	process->relies = false;
	if (process->operation >= 0) {
		operation_all[process->operation].over = true;
	}
	faults_disturbed_all(sim_now);
}

void rules_process_ended(process *process)
{
	process->relies = false;
}

void rules_nothing_is_locked(void)
{
	for (int i = 0; i < sim_profile.nodes && exclusive; i++) {
		const store_key *key = node_lock(&node_all[i]);

		if (key != NULL) {
			sim_break("locked: n%d still has the lock for %.*s, and every lease is over", i, (int) key->text_length,
				key->text);
		}
	}
}
