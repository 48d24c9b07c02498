#include "rl_lock_private.h"

#include "rl_account.h"
#include "rl_acquire.h"
#include "rl_clock.h"
#include "rl_operation.h"
#include "rl_quorum.h"

#include <stdlib.h>
#include <string.h>

const char *rl_token_problem(rl_slice token, size_t longest)
{
	if (token.length == 0) {
		return "must not be empty";
	}
	if (token.length > longest) {
		return longest == RL_TOKEN_MAX_CHOSEN ? "must have at most 255 bytes" : "must have at most 65535 bytes";
	}
	if (rl_slice_begins_with(token, "handoff:")) {
		return "must not begin with \"handoff:\"";
	}
	return NULL;
}

rl_status rl_lock_init(rl_lock *lock, rl_slice prefix, rl_slice name, int64_t lease_ms, rl_error *error)
{
	*lock = (rl_lock) {.lease_ms = lease_ms, .account.group = RL_STATS_OTHER};
	return rl_keys_make(&lock->keys, prefix, name, error);
}

void rl_lock_free(rl_lock *lock)
{
	rl_lock_forget(lock);
	rl_keys_free(&lock->keys);
}

static void drop_token(rl_lock *lock)
{
	if (lock->token != lock->random_token) {
		free(lock->token);
	}
	lock->token = NULL;
	lock->token_length = 0;
	lock->valid_until = 0;
}

void rl_lock_forget(rl_lock *lock)
{
	drop_token(lock);
	lock->unanswered_count = 0;
	lock->uncertain = false;
	lock->attaching = false;
}

/* A forked child owns nothing of what its parent did. */
static void check_process(rl_lock *lock, const rl_client *client)
{
	int process = rl_runtime_process(client->runtime);

	if (lock->process != process) {
		rl_lock_forget(lock);
		lock->process = process;
	}
}

/* How every call of a lock begins. */
static rl_before begin(rl_lock *lock, const rl_client *client)
{
	check_process(lock, client);
	return rl_account_begin(lock, client);
}

bool rl_lock_own(rl_lock *lock, rl_slice token, bool chosen, int process)
{
	char *memory = token.length == RL_TOKEN_LENGTH ? lock->random_token : malloc(token.length);

	if (memory == NULL) {
		return false;
	}
	memcpy(memory, token.data, token.length);
	drop_token(lock);
	lock->token = memory;
	lock->token_length = token.length;
	lock->chosen = chosen;
	lock->process = process;
	return true;
}

bool rl_lock_is_held(const rl_lock *lock, const rl_client *client)
{
	return rl_lock_remaining(lock, client) > 0;
}

int64_t rl_lock_remaining(const rl_lock *lock, const rl_client *client)
{
	int64_t left;

	if (lock->token == NULL || lock->valid_until == 0 || lock->process != rl_runtime_process(client->runtime)) {
		return 0;
	}
	left = lock->valid_until - rl_runtime_now(client->runtime);
	return left > 0 ? left : 0;
}

rl_status rl_lock_acquire(rl_lock *lock, const rl_client *client, int64_t wait_ms, const rl_slice *chosen,
	rl_error *error)
{
	rl_before before = begin(lock, client);
	rl_status status;

	if (lock->token != NULL) {
		/* From an ownership that is over here, and that Redis may not have heard of. */
		rl_account_give_up(lock, client, before.begun);
		rl_lock_write_release(lock, client);
		drop_token(lock);
	}
	lock->account.met_holder = lock->account.woken = false;
	status = client->nodes != NULL
		? rl_quorum_acquire(lock, client, before.begun, wait_ms, chosen, error)
		: rl_acquire(lock, client, before.begun, wait_ms, chosen, error);
	rl_account_acquire(lock, before, client, wait_ms, status);
	return status;
}

/* Sends attach until it is answered with a verdict. RL_OK and RL_NO: exchange has the answer. */
static rl_status send_attach(rl_lock *lock, rl_call *call, rl_slice token, rl_exchange *exchange)
{
	/* An earlier send had attached, and somebody else has since: what was taken over once is not had by asking again. */
	const int64_t overtaken = 2;
	const rl_runtime *runtime = call->runtime;
	int64_t verdict;

	do {
		bool sent_before = lock->attaching;
		rl_command command;
		rl_status status;
		int repeats;

		/* After an attach without an answer this is the same one again: if that arrives late, it must change nothing. */
		if (!sent_before && !rl_token_make(runtime, lock->attach_number)) {
			return rl_error_set(call->error, RL_SYSTEM, "the system has no random bytes");
		}
		lock->attaching = true;
		rl_command_init_script(&command, RL_SCRIPT_ATTACH);
		rl_command_add_key(&command, lock->keys.lock);
		rl_command_add_key(&command, lock->keys.fence);
		rl_command_add_key(&command, lock->keys.attach);
		rl_command_add(&command, token);
		rl_command_add_number(&command, lock->lease_ms);
		rl_command_add_number(&command, rl_lease_retention(call->client->retention_ms, lock->lease_ms));
		rl_command_add(&command, rl_slice_make(lock->attach_number, sizeof(lock->attach_number)));
		status = rl_operation_run(call, &command, RL_REPEATABLE, exchange, &repeats);
		if (status != RL_OK) {
			return status;
		}
		lock->attaching = false;
		if (!rl_reply_number(exchange->reply, 0, 0, sent_before || repeats > 0 ? overtaken : 1, &verdict)) {
			return rl_call_reject(call, exchange);
		}
		if (verdict == overtaken) {
			rl_call_finish(call, exchange);
		}
	} while (verdict == overtaken);
	return verdict == 1 ? RL_OK : RL_NO;
}

static rl_status attach(rl_lock *lock, const rl_client *client, int64_t moment, rl_slice token, rl_error *error)
{
	rl_exchange exchange;
	rl_call call;
	rl_status status;
	int64_t fence, left_ms;

	if (client->nodes != NULL) {
		return rl_quorum_attach(lock, client, token, error);
	}
	rl_call_begin(&call, client, moment, 0, error);
	status = send_attach(lock, &call, token, &exchange);
	if (status == RL_NO) {
		rl_call_finish(&call, &exchange);
	}
	if (status != RL_OK) {
		return status;
	}
	if (!rl_reply_number(exchange.reply, 1, 1, RL_FENCE_MAX, &fence)
			|| !rl_reply_number(exchange.reply, 2, 0, INT64_MAX / 2000, &left_ms)) {
		return rl_call_reject(&call, &exchange);
	}
	rl_call_finish(&call, &exchange);
	if (!rl_lock_own(lock, token, true, call.process)) {
		return rl_error_set(error, RL_SYSTEM, "out of memory");
	}
	lock->fence = fence;
	lock->valid_until = rl_lease_end(exchange.sent_at, left_ms);
	if (!rl_lock_is_held(lock, client)) {
		drop_token(lock);
		return rl_error_set(error, RL_LOST, "%s: the lease was over when the answer to attach arrived",
			client->endpoint->display);
	}
	return RL_OK;
}

rl_status rl_lock_attach(rl_lock *lock, const rl_client *client, rl_slice token, rl_error *error)
{
	rl_before before = begin(lock, client);
	rl_status status = attach(lock, client, before.begun, token, error);

	rl_account_attach(lock, before, client, status);
	return status;
}

/* Asks for a renewal. RL_OK: *valid_until says how long the lease can be relied on. */
static rl_status renew(rl_call *call, const rl_keys *keys, rl_slice token, int64_t lease_ms, int64_t *valid_until)
{
	rl_command command;
	rl_exchange exchange;
	rl_status status;
	int64_t left_ms = 0;
	int repeats;

	if (call->client->nodes != NULL) {
		return rl_quorum_renew(call, keys, token, lease_ms, valid_until);
	}
	rl_operation_renew(&command, keys, token, lease_ms);
	status = rl_operation_run(call, &command, RL_REPEATABLE, &exchange, &repeats);
	if (status != RL_OK) {
		return status;
	}
	status = rl_operation_verdict(call, RL_SCRIPT_RENEW, &exchange);
	if (status == RL_OK && !rl_reply_number(exchange.reply, 1, 0, INT64_MAX / 2000, &left_ms)) {
		return rl_call_reject(call, &exchange);
	}
	if (status == RL_OK || status == RL_NO) {
		rl_call_finish(call, &exchange);
		*valid_until = rl_lease_end(exchange.sent_at, left_ms);
	}
	return status;
}

static rl_status renew_lock(rl_lock *lock, const rl_client *client, int64_t moment, int64_t lease_ms, rl_error *error)
{
	int64_t valid_until;
	rl_status status;
	rl_call call;

	if (lock->token == NULL || lock->valid_until == 0) {
		return RL_NO;
	}
	rl_call_begin(&call, client, moment, 0, error);
	status = renew(&call, &lock->keys, rl_slice_make(lock->token, lock->token_length), lease_ms, &valid_until);
	if (call.forked) {
		check_process(lock, client);
		return call.stopped ? RL_INTERRUPTED : RL_NO;
	}
	if (status == RL_NO) {
		drop_token(lock);
	}
	if (status == RL_OK) {
		if (valid_until > lock->valid_until) {
			lock->valid_until = valid_until;
		}
		/* The answer can be so late that even the renewed lease is over. */
		return rl_lock_is_held(lock, client) ? RL_OK : RL_NO;
	}
	return status;
}

rl_status rl_lock_renew(rl_lock *lock, const rl_client *client, int64_t lease_ms, rl_error *error)
{
	rl_before before = begin(lock, client);
	rl_status status = renew_lock(lock, client, before.begun, lease_ms, error);

	rl_account_renew(lock, before, client, lease_ms, status);
	return status;
}

rl_status rl_token_renew(const rl_client *client, const rl_keys *keys, rl_slice token, int64_t lease_ms,
	rl_error *error)
{
	int64_t valid_until;
	rl_status status;
	rl_call call;

	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
	status = renew(&call, keys, token, lease_ms, &valid_until);
	rl_account_token(client, keys, RL_COUNT_RENEWED, RL_COUNT_RENEWALS_REFUSED, status);
	return status;
}

/* What a release found out beside its status. */
typedef struct release_result {
	/* It had to be sent twice, and the answer then was "not ours", which is also what our own first send leads to. */
	bool undecided;
	int64_t stored_fence;     /* then: what is stored now; 0: none is, or it is not known */
	bool maybe_run;           /* it failed, and may have been run all the same */
} release_result;

static rl_status release(rl_call *call, const rl_keys *keys, rl_slice token, int64_t fence, release_result *result)
{
	rl_command command;
	rl_exchange exchange;
	rl_status status;
	int repeats;

	*result = (release_result) {0};
	if (call->client->nodes != NULL) {
		status = rl_quorum_release(call, keys, token, fence);
		result->maybe_run = status != RL_OK && status != RL_NO;
		return status;
	}
	rl_operation_release(&command, keys, token, fence);
	status = rl_operation_run(call, &command, RL_REPEATABLE, &exchange, &repeats);
	if (status == RL_OK) {
		status = rl_operation_verdict(call, RL_SCRIPT_RELEASE, &exchange);
	}
	result->maybe_run = exchange.maybe_run || repeats > 0;
	if (status == RL_NO && repeats > 0) {
		result->undecided = true;
		if (!rl_reply_number(exchange.reply, 1, 1, RL_FENCE_MAX, &result->stored_fence)) {
			result->stored_fence = 0;
		}
		rl_error_set(call->error, RL_UNCERTAIN, "%s: release had to be sent twice, because its first answer was lost; "
			"whether that one gave the lock back is unknown", call->client->endpoint->display);
	}
	if (status == RL_OK || status == RL_NO) {
		rl_call_finish(call, &exchange);
	}
	return status;
}

rl_status rl_token_release(const rl_client *client, const rl_keys *keys, rl_slice token, rl_error *error)
{
	release_result result;
	rl_status status;
	rl_call call;

	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
	status = release(&call, keys, token, 0, &result);
	status = result.undecided ? RL_UNCERTAIN : status;
	rl_account_token(client, keys, RL_COUNT_RELEASED, RL_COUNT_RELEASED_LATE, status);
	return status;
}

/* Gives back what acquires without an answer may have taken. RL_OK: one of them had taken it. */
static rl_status release_unanswered(rl_lock *lock, rl_call *call)
{
	rl_status outcome = RL_NO;

	while (lock->unanswered_count > 0) {
		rl_slice token = rl_slice_make(lock->unanswered[lock->unanswered_count - 1], RL_TOKEN_LENGTH);
		release_result result;
		rl_status status = release(call, &lock->keys, token, 0, &result);

		if (call->forked) {
			return RL_NO;
		}
		if (result.undecided) {
			status = RL_UNCERTAIN;
		}
		if (status != RL_OK && status != RL_NO) {
			return status;
		}
		lock->unanswered_count--;
		if (status == RL_OK) {
			outcome = RL_OK;
		}
	}
	lock->uncertain = false;
	return outcome;
}

static rl_status release_lock(rl_lock *lock, const rl_client *client, int64_t moment, rl_error *error)
{
	release_result result;
	rl_status status;
	rl_call call;

	if (lock->token == NULL && !lock->uncertain) {
		return RL_NO;
	}
	rl_call_begin(&call, client, moment, 0, error);
	if (lock->token == NULL) {
		return release_unanswered(lock, &call);
	}
	status = release(&call, &lock->keys, rl_slice_make(lock->token, lock->token_length), lock->chosen ? lock->fence : 0,
		&result);
	if (call.forked) {
		/* A child, born in a signal handler: it never owned anything. */
		check_process(lock, client);
		return call.stopped ? RL_INTERRUPTED : RL_NO;
	}
	if (result.undecided) {
		/* Nobody came after us, and our lease was not over: then it can only have been our first send. */
		bool ours = result.stored_fence == lock->fence && rl_lock_is_held(lock, client);

		drop_token(lock);
		return ours ? RL_OK : RL_UNCERTAIN;
	}
	if (status == RL_OK || status == RL_NO) {
		drop_token(lock);
	} else if (result.maybe_run) {
		/* It may be free by now, so nobody may rely on it. The token is kept: release() can be tried again. */
		lock->valid_until = 0;
	}
	return status;
}

rl_status rl_lock_release(rl_lock *lock, const rl_client *client, rl_error *error)
{
	rl_before before = begin(lock, client);
	rl_status status = release_lock(lock, client, before.begun, error);

	rl_account_release(lock, before, client, status);
	return status;
}
