/* Taking a lock on a quorum: grants by a majority, then one fence that a majority stores. */
#include "rl_quorum.h"

#include "rl_acquire.h"
#include "rl_clock.h"
#include "rl_lock_private.h"
#include "rl_operation.h"
#include "rl_round.h"

#include <string.h>

enum {
	/* How long an attempt that cannot succeed any more waits for nodes that may just be about to answer, if at all. */
	FAILING_US = 20 * RL_US_PER_MS
};

/* One attempt: one token on all nodes, and each node is asked once. */
typedef struct attempt {
	const rl_keys *keys;
	rl_slice token;
	rl_slice node_key;
	bool attach;               /* the token holds the lock already */
	bool chosen;               /* others may use the same token */
	int64_t lease_ms;
	int64_t retention_ms;
	int64_t proposal;          /* our wall clock in microseconds; the same for all nodes */
	int64_t fence;             /* the largest that was granted or stored */
	bool raising;
	bool failing;
} attempt;

static void build(rl_round *round, int i, rl_question question, rl_command *command)
{
	const attempt *attempt = round->operation;
	int64_t sit_out = round->client->quorum_max_ttl_ms + RL_QUORUM_SIT_OUT_MARGIN_MS;
	rl_slice run_id = rl_slice_text(round->call->runtime->transport->run_id(round->votes[i].connection));

	if (question == RL_ASK_RAISE) {
		rl_command_init_script(command, RL_SCRIPT_RAISE);
	} else {
		rl_command_init_script(command, attempt->attach ? RL_SCRIPT_QUORUM_ATTACH : RL_SCRIPT_QUORUM_ACQUIRE);
	}
	rl_command_add_key(command, attempt->keys->lock);
	rl_command_add_key(command, attempt->keys->fence);
	rl_command_add_key(command, attempt->node_key);
	rl_command_add(command, attempt->token);
	if (question == RL_ASK_RAISE) {
		rl_command_add_number(command, attempt->fence);
		rl_command_add_number(command, attempt->retention_ms);
		round->votes[i].raise = attempt->fence;
	} else {
		rl_command_add_number(command, attempt->lease_ms);
		rl_command_add_number(command, attempt->retention_ms);
		rl_command_add_number(command, attempt->proposal);
	}
	rl_command_add(command, run_id);
	rl_command_add_number(command, sit_out);
	if (question == RL_ASK_RAISE) {
		/* An attach shares the lock with all who have the token, and whoever raises last has the larger fence. */
		if (attempt->chosen && !attempt->attach && round->votes[i].fence > 0) {
			rl_command_add_number(command, round->votes[i].fence);
		} else {
			rl_command_add(command, rl_slice_make("", 0));
		}
	}
}

static void answer(rl_round *round, int i, const rl_reply *reply)
{
	attempt *attempt = round->operation;
	rl_vote *vote = &round->votes[i];
	bool first = vote->question == RL_ASK_FIRST;
	int64_t verdict, value, stored;

	if (!rl_reply_number(reply, 0, 0, 2, &verdict)) {
		rl_round_reject(round, i, "the answer is not one that the script of redislock gives");
		return;
	}
	if (verdict == 0) {
		vote->verdict = RL_VOTE_NO;
		vote->fence = 0;
		return;
	}
	if (verdict == 2) {
		if (rl_reply_number(reply, 1, 0, INT64_MAX, &value)) {
			rl_round_sits_out(round, i, value);
		} else {
			rl_round_reject(round, i, "the answer is not one that the script of redislock gives");
		}
		return;
	}
	if (!rl_reply_number(reply, 1, 1, RL_FENCE_MAX, &value)
			|| (first && attempt->attach && !rl_reply_number(reply, 2, 0, INT64_MAX / 2000, &vote->left_ms))) {
		rl_round_reject(round, i, "the answer is not one that the script of redislock gives");
		return;
	}
	vote->verdict = RL_VOTE_YES;
	vote->granted = true;
	if (!first && attempt->chosen && !rl_reply_number(reply, 2, 1, 1, &stored)) {
		/*
		 * Others who have the token may be about to acquire or to attach, and agree on the same number: only what this
		 * raise itself has stored is a fence of this attempt.
		 */
		vote->fence = 0;
		value++;
	} else {
		vote->fence = value;
	}
	if (value > attempt->fence) {
		attempt->fence = value;
	}
}

/* How many nodes store exactly the fence for us. */
static int count_agreed(const rl_round *round)
{
	const attempt *attempt = round->operation;
	int agreed = 0;

	for (int i = 0; i < round->count; i++) {
		agreed += round->votes[i].verdict == RL_VOTE_YES && round->votes[i].fence == attempt->fence;
	}
	return agreed;
}

/*
 * Whether the answers of an attempt without a majority say that somebody else has the lock, and not that nodes failed.
 * acquire: a majority answered. attach: the nodes that did not cannot hold it for the token by a majority.
 */
static bool is_contention(const rl_round *round)
{
	const attempt *attempt = round->operation;
	int no = rl_round_votes(round, RL_VOTE_NO);

	return attempt->attach ? no > round->count - round->majority
		: rl_round_votes(round, RL_VOTE_YES) + no >= round->majority;
}

/* A majority cannot come any more. Whether it is known why: held by somebody, or not enough nodes that answer. */
static bool is_explained(rl_round *round)
{
	int answered = rl_round_votes(round, RL_VOTE_YES) + rl_round_votes(round, RL_VOTE_NO);
	int pending = rl_round_votes(round, RL_VOTE_PENDING);
	attempt *attempt = round->operation;
	bool contention = is_contention(round);

	if (pending == 0 || (contention && (!attempt->chosen || attempt->attach))) {
		return true;
	}
	if (!contention && (attempt->attach
			? rl_round_votes(round, RL_VOTE_NO) + pending > round->count - round->majority
			: answered + pending >= round->majority)) {
		return false;
	}
	/*
	 * Nodes that are about to answer get a moment to, so that the errors name those that are the matter, and because a
	 * chosen token is given back only where it is known with what fence it was granted.
	 */
	if (!attempt->failing) {
		int64_t until = rl_runtime_now(round->call->runtime) + FAILING_US;

		attempt->failing = true;
		round->until = rl_clock_earlier(until, round->until);
	}
	return false;
}

/*
 * Granted by a majority, and the largest fence stored by a majority: done. Only nodes that store exactly that fence
 * count; the others are asked to raise theirs.
 */
static bool decided(rl_round *round)
{
	attempt *attempt = round->operation;
	int granted = rl_round_votes(round, RL_VOTE_YES);

	if (granted + rl_round_votes(round, RL_VOTE_PENDING) < round->majority) {
		return is_explained(round);
	}
	if (granted < round->majority) {
		return false;
	}
	if (attempt->fence > 0 && count_agreed(round) >= round->majority) {
		return true;
	}
	if (!attempt->raising) {
		int64_t until = rl_runtime_now(round->call->runtime) + round->client->timeout_us;

		attempt->raising = true;
		round->until = rl_clock_earlier(until, round->call->end);
	}
	for (int i = 0; i < round->count; i++) {
		const rl_vote *vote = &round->votes[i];

		if (vote->verdict == RL_VOTE_YES && vote->state == RL_VOTE_IDLE && vote->fence != attempt->fence) {
			rl_round_ask(round, i, RL_ASK_RAISE);
		}
	}
	return false;
}

/* Whether the attempt has the lock, as far as the answers go. */
static bool is_acquired(const rl_round *round)
{
	const attempt *attempt = round->operation;

	return attempt->fence > 0 && count_agreed(round) >= round->majority;
}

/*
 * A failed attempt gives back, behind itself on the same connection, what it was granted or may still be. A caller's
 * token may be in use elsewhere: it is given back only where this attempt was granted it, and by its fence.
 */
static bool undo(rl_round *round, int i, rl_command *command)
{
	const attempt *attempt = round->operation;
	const rl_vote *vote = &round->votes[i];

	if (!vote->granted && (attempt->chosen || vote->state == RL_VOTE_IDLE)) {
		return false;
	}
	if (!attempt->chosen) {
		rl_operation_release(command, attempt->keys, attempt->token, 0);
	} else if (vote->fence == 0) {
		/* It is somebody else's by now. */
		return false;
	} else {
		rl_operation_release(command, attempt->keys, attempt->token, vote->raise > 0 ? vote->raise : vote->fence);
		if (vote->raise > 0) {
			/* The raise may have been run, or refused. */
			rl_command_add_number(command, vote->fence);
		}
	}
	rl_stats_count_wire(round->call->runtime->stats, RL_COUNT_ORPHANS);
	return true;
}

/*
 * After success with a caller's token: a node whose grant is not among those that store the fence gets it, too, without
 * anybody waiting for it. The release compares it there.
 */
static bool settle(rl_round *round, int i, rl_command *command)
{
	const attempt *attempt = round->operation;
	const rl_vote *vote = &round->votes[i];

	if (!attempt->chosen || vote->verdict == RL_VOTE_NO || vote->fence == attempt->fence
			|| (vote->state == RL_VOTE_IDLE && !vote->granted)) {
		return false;
	}
	build(round, i, RL_ASK_RAISE, command);
	return true;
}

static rl_status run(rl_lock *lock, rl_call *call, attempt *attempt)
{
	const rl_runtime *runtime = call->runtime;
	int64_t started = rl_runtime_now(runtime);
	int64_t until = started + call->client->timeout_us;
	int64_t valid_until;
	rl_round round;
	rl_status status;

	rl_round_init(&round, call);
	round.identify = true;
	round.operation = attempt;
	round.build = build;
	round.answer = answer;
	round.decided = decided;
	round.until = rl_clock_earlier(until, call->end);
	attempt->proposal = runtime->wall(runtime->context);
	status = rl_round_run(&round);
	if (attempt->raising) {
		rl_stats_count_wire(runtime->stats, RL_COUNT_RAISES);
	}
	valid_until = rl_lease_end(started, attempt->attach ? rl_round_left(&round) : attempt->lease_ms);
	if (status == RL_OK && is_acquired(&round)) {
		if (rl_runtime_now(runtime) >= valid_until) {
			status = rl_error_set(call->error, RL_LOST, "the lease of %.3f s was over when a majority had granted it",
				(double) attempt->lease_ms / RL_US_PER_MS);
		} else if (!rl_lock_own(lock, attempt->token, attempt->chosen, call->process)) {
			status = rl_error_set(call->error, RL_SYSTEM, "out of memory");
		} else {
			lock->fence = attempt->fence;
			lock->valid_until = valid_until;
		}
	} else if (status == RL_OK) {
		status = is_contention(&round) ? RL_NO : rl_round_fail(&round);
		if (status == RL_QUORUM) {
			rl_call_note_failure(call);
		} else {
			lock->account.met_holder = true;
			call->failing_since = 0;
		}
	}
	/* An attach took nothing that was not held before, so there is nothing to give back. */
	rl_round_end(&round, status == RL_OK ? settle : attempt->attach ? NULL : undo);
	return status;
}

/* Whether to try again, having paused. */
static bool pause_before_next(rl_call *call, rl_status *status)
{
	int64_t moment = rl_runtime_now(call->runtime);
	int64_t until = call->wait_until;

	if (*status != RL_NO && *status != RL_LOST && *status != RL_QUORUM) {
		return false;
	}
	if (*status == RL_QUORUM && call->failing_since + call->client->retry_for_us < until) {
		until = call->failing_since + call->client->retry_for_us;
	}
	if (moment >= until) {
		return false;
	}
	/* Apart from others that wait, so that they do not split the nodes between them again; the last try is at the end. */
	if (!rl_call_sleep(call, rl_clock_earlier(until, rl_call_backoff(call)))) {
		*status = RL_INTERRUPTED;
		return false;
	}
	return true;
}

static int64_t retention(const rl_client *client, int64_t lease_ms)
{
	int64_t ms = rl_lease_retention(client->retention_ms, lease_ms);

	return ms < RL_QUORUM_MIN_RETENTION_MS ? RL_QUORUM_MIN_RETENTION_MS : ms;
}

rl_status rl_quorum_acquire(rl_lock *lock, const rl_client *client, int64_t moment, int64_t wait_ms,
	const rl_slice *chosen, rl_error *error)
{
	rl_buffer node_key = {0};
	rl_status status;
	rl_call call;

	rl_call_begin(&call, client, moment, wait_ms * RL_US_PER_MS, error);
	if (!rl_quorum_node_key(client, &node_key)) {
		return rl_error_set(error, RL_SYSTEM, "out of memory");
	}
	do {
		char token[RL_TOKEN_LENGTH];
		attempt attempt = {
			.keys = &lock->keys,
			.token = chosen != NULL ? *chosen : rl_slice_make(token, sizeof(token)),
			.node_key = rl_slice_make(node_key.data, node_key.length),
			.chosen = chosen != NULL,
			.lease_ms = lock->lease_ms,
			.retention_ms = retention(client, lock->lease_ms)
		};

		if (chosen == NULL && !rl_token_make(client->runtime, token)) {
			status = rl_error_set(error, RL_SYSTEM, "the system has no random bytes for a token");
			break;
		}
		status = run(lock, &call, &attempt);
	} while (status != RL_OK && pause_before_next(&call, &status));
	rl_buffer_free(&node_key);
	return status;
}

rl_status rl_quorum_attach(rl_lock *lock, const rl_client *client, rl_slice token, rl_error *error)
{
	rl_buffer node_key = {0};
	attempt attempt = {
		.keys = &lock->keys,
		.token = token,
		.attach = true,
		.chosen = true,
		.lease_ms = lock->lease_ms,
		.retention_ms = retention(client, lock->lease_ms)
	};
	rl_status status;
	rl_call call;

	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
	if (!rl_quorum_node_key(client, &node_key)) {
		return rl_error_set(error, RL_SYSTEM, "out of memory");
	}
	attempt.node_key = rl_slice_make(node_key.data, node_key.length);
	status = run(lock, &call, &attempt);
	rl_buffer_free(&node_key);
	/* Some of the nodes, and not a majority: that token does not hold the lock. */
	return status;
}
