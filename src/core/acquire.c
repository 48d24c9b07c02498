/* Taking a lock on one server: every send carries a token of its own, so that repeating is safe. */
#include "rl_acquire.h"

#include "rl_clock.h"
#include "rl_lock_private.h"
#include "rl_operation.h"
#include "rl_wait.h"

#include <string.h>

/* A fence that is this far ahead of the server's clock tells that the clock was set back. */
#define FENCE_AHEAD_US INT64_C(60000000)

/* The state of one public call. */
typedef struct attempt {
	rl_lock *lock;
	rl_call call;
	const rl_slice *chosen;
	rl_waiter waiter;
	int repeats;              /* sends of this call that were never answered */
	bool may_wait;
	bool names_wake;          /* the wake list is named: by a call that waits, and by one that met a reservation */
} attempt;

/* What a send found. */
typedef struct finding {
	rl_status status;         /* RL_OK granted, RL_NO held, or how the call ends */
	bool ask_again;           /* it is reserved, and the wake list was not named, which tells for whom */
	int64_t holder_left_ms;   /* RL_NO: of the holder's lease; -1: it has none */
} finding;

bool rl_token_make(const rl_runtime *runtime, char *token)
{
	static const char digits[] = "0123456789abcdef";
	unsigned char bytes[RL_TOKEN_LENGTH / 2];

	if (!runtime->random(runtime->context, bytes, sizeof(bytes))) {
		return false;
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		token[2 * i] = digits[bytes[i] >> 4];
		token[2 * i + 1] = digits[bytes[i] & 15];
	}
	return true;
}

/*
 * A token for the next send, remembered as unanswered before anything is written: a fatal error of the application can
 * end the call at any wait. NULL: no randomness.
 */
static const char *new_token(rl_lock *lock, const rl_runtime *runtime)
{
	char *token;

	if (lock->unanswered_count == RL_MAX_UNANSWERED) {
		/* The oldest has its release behind it on a parked connection; what that cannot prevent, its lease bounds. */
		memmove(lock->unanswered[0], lock->unanswered[1], sizeof(lock->unanswered) - RL_TOKEN_LENGTH);
		lock->unanswered_count--;
	}
	token = lock->unanswered[lock->unanswered_count];
	if (!rl_token_make(runtime, token)) {
		return NULL;
	}
	lock->unanswered_count++;
	lock->uncertain = true;
	return token;
}

static void forget_last_token(attempt *attempt)
{
	if (attempt->chosen == NULL) {
		attempt->lock->unanswered_count--;
		attempt->lock->uncertain = attempt->lock->unanswered_count > 0;
	}
}

static void build(const attempt *attempt, rl_slice token, rl_command *command)
{
	const rl_lock *lock = attempt->lock;
	int earlier = attempt->chosen == NULL ? lock->unanswered_count - 1 : lock->unanswered_count;
	int64_t retention = rl_lease_retention(attempt->call.client->retention_ms, lock->lease_ms);
	/* A call that will not wait, or no longer, wants nobody to be kept for it. */
	int64_t flag = attempt->may_wait && !attempt->call.client->endpoint->cannot_block ? RL_WAIT_FLAG_MS : 0;
	/* What says nothing is left out, because every key and argument costs the server something. */
	bool brief = flag == 0 && attempt->waiter.reservation_length == 0 && earlier == 0;

	rl_command_init_script(command, RL_SCRIPT_ACQUIRE);
	rl_command_add_key(command, lock->keys.lock);
	rl_command_add_key(command, lock->keys.fence);
	rl_command_add(command, token);
	rl_command_add_number(command, lock->lease_ms);
	if (!brief || retention != RL_LEASE_RETENTION_MS) {
		rl_command_add_number(command, retention);
	}
	if (attempt->names_wake || !brief) {
		rl_command_add_key(command, lock->keys.wake);
	}
	if (brief) {
		return;
	}
	if (flag != 0) {
		rl_command_add_key(command, lock->keys.wait);
	}
	rl_command_add_number(command, flag);
	rl_command_add(command, rl_slice_make(attempt->waiter.reservation, attempt->waiter.reservation_length));
	for (int i = 0; i < earlier; i++) {
		rl_command_add(command, rl_slice_make(lock->unanswered[i], RL_TOKEN_LENGTH));
	}
}

/*
 * Nobody will read the answer to a send. Its connection is kept, with the release of that send behind it, so that a
 * server that gets to it late gives the lock back at once. A caller's token may be in use elsewhere: nothing is written
 * behind it.
 */
static void abandon_send(attempt *attempt, rl_slice token, rl_exchange *exchange)
{
	const rl_runtime *runtime = attempt->call.runtime;
	rl_command release;

	if (exchange->connection == NULL) {
		return;
	}
	if (attempt->chosen == NULL) {
		rl_stats_count_wire(runtime->stats, RL_COUNT_ORPHANS);
		rl_operation_release(&release, &attempt->lock->keys, token, 0);
		runtime->transport->send(exchange->connection, &release, RL_BY_TEXT, rl_runtime_now(runtime));
	}
	runtime->transport->park(runtime->connections, exchange->connection);
	exchange->connection = NULL;
}

/* A grant that is of no use to anybody: given back, without waiting. */
static void give_back(attempt *attempt, rl_slice token, int64_t fence, rl_exchange *exchange)
{
	const rl_runtime *runtime = attempt->call.runtime;
	rl_command release;

	rl_stats_count_wire(runtime->stats, RL_COUNT_ORPHANS);
	rl_operation_release(&release, &attempt->lock->keys, token, attempt->chosen == NULL ? 0 : fence);
	runtime->transport->send(exchange->connection, &release, RL_BY_TEXT, rl_runtime_now(runtime));
	runtime->transport->disown_replies(exchange->connection);
	rl_call_finish(&attempt->call, exchange);
}

/* Whether the answer grants the lock: with the fence alone, or with how far it is ahead of the server's clock. */
static bool read_grant(const rl_reply *reply, int64_t *fence, int64_t *ahead)
{
	int64_t verdict;

	*ahead = 0;
	if (reply->type == RL_REPLY_STRING) {
		return rl_reply_number(reply, RL_REPLY_ROOT, 1, RL_FENCE_MAX, fence);
	}
	return rl_reply_number(reply, 0, 1, 1, &verdict) && rl_reply_number(reply, 1, 1, RL_FENCE_MAX, fence)
		&& rl_reply_number(reply, 2, 0, INT64_MAX, ahead);
}

/*
 * The interrupt hook ended the call while a send was under way. A caller's token cannot be released before it is known
 * that this send got the lock, so its answer is waited for.
 */
static void stop_send(attempt *attempt, rl_slice token, rl_exchange *exchange)
{
	int64_t fence, ahead;

	if (attempt->chosen != NULL && rl_call_await(&attempt->call, exchange)) {
		if (read_grant(exchange->reply, &fence, &ahead)) {
			give_back(attempt, token, fence, exchange);
		} else {
			rl_call_finish(&attempt->call, exchange);
		}
		return;
	}
	abandon_send(attempt, token, exchange);
}

static bool take_ownership(attempt *attempt, rl_slice token, int64_t fence, int64_t valid_until)
{
	rl_lock *lock = attempt->lock;

	if (!rl_lock_own(lock, token, attempt->chosen != NULL, attempt->call.process)) {
		return false;
	}
	lock->fence = fence;
	lock->valid_until = valid_until;
	return true;
}

static finding evaluate(attempt *attempt, rl_slice token, rl_exchange *exchange)
{
	rl_call *call = &attempt->call;
	finding found = {.status = RL_OK};
	int64_t fence, valid_until, ahead, verdict;

	if (!read_grant(exchange->reply, &fence, &ahead)) {
		if (!attempt->names_wake && exchange->reply->element_count == 1
				&& rl_reply_number(exchange->reply, 0, 2, 2, &verdict)) {
			attempt->names_wake = found.ask_again = true;
			forget_last_token(attempt);
			rl_call_finish(call, exchange);
			return found;
		}
		if (!rl_reply_number(exchange->reply, 0, 0, 0, &verdict)
				|| !rl_reply_number(exchange->reply, 1, -1, INT64_MAX, &found.holder_left_ms)) {
			found.status = rl_call_reject(call, exchange);
			return found;
		}
		found.status = RL_NO;
	}
	attempt->lock->account.woken = attempt->waiter.reservation_length > 0;
	/* The reservation was used, or is not ours any more. */
	attempt->waiter.reservation_length = 0;
	if (found.status == RL_NO) {
		attempt->lock->account.met_holder = true;
		forget_last_token(attempt);
		rl_call_finish(call, exchange);
		return found;
	}
	if (ahead >= FENCE_AHEAD_US) {
		rl_stats_count_wire(call->runtime->stats, RL_COUNT_FENCES_AHEAD);
	}
	valid_until = rl_lease_end(exchange->sent_at, attempt->lock->lease_ms);
	if (exchange->answered_at >= valid_until) {
		give_back(attempt, token, fence, exchange);
		/* The token is kept: if that release does not arrive, the next send finds what it was granted. */
		attempt->repeats++;
		found.status = rl_error_set(call->error, RL_LOST, "%s: the lease of %.3f s was over when its grant arrived",
			call->client->endpoint->display, (double) attempt->lock->lease_ms / RL_US_PER_MS);
		return found;
	}
	if (!take_ownership(attempt, token, fence, valid_until)) {
		give_back(attempt, token, fence, exchange);
		found.status = rl_error_set(call->error, RL_SYSTEM, "out of memory");
		return found;
	}
	rl_call_finish(call, exchange);
	forget_last_token(attempt);
	attempt->lock->uncertain = false;
	return found;
}

/* The status of a call that ends with a failure: whatever this one is, earlier sends may have been run. */
static rl_status blame(attempt *attempt, rl_status status)
{
	return attempt->repeats > 0 && status != RL_INTERRUPTED ? rl_operation_uncertain(&attempt->call, "acquire") : status;
}

/* Sends until there is an answer, or the call has to end. */
static finding try_once(attempt *attempt)
{
	rl_call *call = &attempt->call;
	finding found = {.status = RL_OK};

	/* A call without a wait need not ask for the time. */
	attempt->may_wait = call->started < call->wait_until && rl_runtime_now(call->runtime) < call->wait_until;

	for (;;) {
		rl_slice token;
		rl_command command;
		rl_exchange exchange;

		if (attempt->lock->process != call->process) {
			/* Forked meanwhile, by code that ran during the call: what the parent has sent is not ours. */
			rl_lock_forget(attempt->lock);
			attempt->lock->process = call->process;
			attempt->repeats = 0;
			attempt->waiter.reservation_length = 0;
		}
		if (attempt->chosen != NULL) {
			token = *attempt->chosen;
		} else {
			const char *made = new_token(attempt->lock, call->runtime);

			if (made == NULL) {
				found.status = rl_error_set(call->error, RL_SYSTEM, "the system has no random bytes for a token");
				return found;
			}
			token = rl_slice_make(made, RL_TOKEN_LENGTH);
		}
		build(attempt, token, &command);
		rl_call_exchange(call, &command, &exchange);
		switch (exchange.outcome) {
			case RL_ANSWERED:
				found = evaluate(attempt, token, &exchange);
				if (found.ask_again) {
					break;
				}
				return found;
			case RL_STOPPED:
				if (exchange.maybe_run) {
					stop_send(attempt, token, &exchange);
				} else {
					forget_last_token(attempt);
				}
				found.status = RL_INTERRUPTED;
				return found;
			case RL_REFUSED:
			case RL_UNSENT:
				if (exchange.maybe_run) {
					found.status = call->error->status;
					return found;
				}
				forget_last_token(attempt);
				if (rl_call_retry(call, &found.status)) {
					break;
				}
				found.status = blame(attempt, found.status);
				return found;
			case RL_UNANSWERED:
				abandon_send(attempt, token, &exchange);
				if (attempt->chosen != NULL || !rl_call_repeat(call, &attempt->repeats)) {
					found.status = call->stopped ? RL_INTERRUPTED : rl_operation_uncertain(call, "acquire");
					return found;
				}
				break;
		}
	}
}

/*
 * The deadline has come: one last try, and one more if a wake-up came just then. The place in the queue is kept during
 * the try: a server that was slow and gets to a release, to this try and to our leaving all at once would otherwise wake
 * somebody who has gone.
 */
static finding try_last(attempt *attempt)
{
	finding found = {.status = RL_NO};

	if (rl_runtime_now(attempt->call.runtime) >= attempt->call.end) {
		/* We were stopped for so long that there is no time for it: that says nothing about the server. */
		return found;
	}
	found = try_once(attempt);
	if (found.status == RL_SERVER && rl_error_is_full(attempt->call.error) && attempt->waiter.blocked != NULL) {
		/* The server has no room for a second connection of ours, but for this one. */
		rl_waiter_hang_up(&attempt->waiter);
		return try_once(attempt);
	}
	if (found.status == RL_NO && rl_waiter_step_out(&attempt->waiter)) {
		found = try_once(attempt);
	}
	return found;
}

/* Waits for the next moment at which a try is worth while. False: *status says how the call ends. */
static bool wait_for_turn(attempt *attempt, finding *found)
{
	rl_call *call = &attempt->call;

	switch (rl_waiter_wait(&attempt->waiter, found->holder_left_ms)) {
		case RL_WAKE_TRY:
			*found = try_once(attempt);
			return true;
		case RL_WAKE_DEADLINE:
			*found = try_last(attempt);
			return false;
		case RL_WAKE_STOPPED:
			found->status = RL_INTERRUPTED;
			return false;
		case RL_WAKE_FAILED:
			if (!rl_call_retry(call, &found->status)) {
				found->status = blame(attempt, found->status);
				return false;
			}
			*found = try_once(attempt);
			return true;
	}
	return false;
}

rl_status rl_acquire(rl_lock *lock, const rl_client *client, int64_t moment, int64_t wait_ms, const rl_slice *chosen,
	rl_error *error)
{
	attempt attempt = {.lock = lock, .chosen = chosen, .names_wake = wait_ms > 0};
	rl_call *call = &attempt.call;
	finding found;

	rl_call_begin(call, client, moment, wait_ms * RL_US_PER_MS, error);
	rl_waiter_init(&attempt.waiter, call, &lock->keys);
	found = try_once(&attempt);
	/* A grant that came too late is tried again like a lock that was held: it may have been one slow answer. */
	while ((found.status == RL_NO || found.status == RL_LOST)
			&& rl_runtime_now(call->runtime) < call->wait_until) {
		if (found.status == RL_LOST) {
			found = try_once(&attempt);
		} else if (!wait_for_turn(&attempt, &found)) {
			break;
		}
	}
	rl_waiter_leave(&attempt.waiter, found.status == RL_OK);
	return found.status;
}
