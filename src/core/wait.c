#include "rl_operation.h"
#include "rl_wait_private.h"

#include <string.h>

enum {
	/* How long code of the application waits at most if its signal came at a bad moment. */
	INTERRUPT_US = 100 * RL_US_PER_MS
};

void rl_waiter_init(rl_waiter *waiter, rl_call *call, const rl_keys *keys)
{
	memset(waiter, 0, sizeof(*waiter));
	waiter->call = call;
	waiter->keys = keys;
	waiter->last_poke = call->started;
	waiter->process = call->process;
}

/* A forked child has no place in its parent's queue. Only its copies of the descriptors are closed. */
static void forget(rl_waiter *waiter)
{
	rl_waiter_drop(waiter, &waiter->blocked);
	rl_waiter_drop(waiter, &waiter->poker);
	waiter->reservation_length = 0;
	waiter->process = rl_runtime_process(waiter->call->runtime);
}

/* Without BLPOP: a pause, longer from time to time, and never past the deadline. */
static rl_wake poll_once(rl_waiter *waiter)
{
	rl_call *call = waiter->call;
	int64_t until;

	/* The pauses go on growing, though every try in between is answered. */
	call->pause_us = waiter->pause_us;
	until = rl_call_backoff(call);
	waiter->pause_us = call->pause_us;
	if (!rl_call_sleep(call, rl_clock_earlier(until, call->wait_until))) {
		return RL_WAKE_STOPPED;
	}
	return rl_waiter_now(waiter) >= call->wait_until ? RL_WAKE_DEADLINE : RL_WAKE_TRY;
}

/* Lets code of the application run. False: *wake says why the wait is over. */
static bool let_interrupt(rl_waiter *waiter, rl_wake *wake)
{
	bool stop = rl_call_interrupt(waiter->call);

	if (rl_waiter_is_forked(waiter)) {
		forget(waiter);
		*wake = stop ? RL_WAKE_STOPPED : RL_WAKE_TRY;
		return false;
	}
	if (stop) {
		*wake = RL_WAKE_STOPPED;
		return false;
	}
	return true;
}

rl_wake rl_waiter_wait(rl_waiter *waiter, int64_t left_ms)
{
	rl_call *call = waiter->call;
	rl_wake wake;

	if (rl_waiter_is_forked(waiter)) {
		forget(waiter);
	}
	waiter->reservation_length = 0;
	if (waiter->polling || call->client->endpoint->cannot_block) {
		return poll_once(waiter);
	}
	if (waiter->blocked == NULL && !rl_waiter_take_place(waiter, &wake)) {
		return wake;
	}
	rl_waiter_schedule_poke(waiter, left_ms);
	for (;;) {
		rl_connection *connections[2] = {waiter->blocked, waiter->poker};
		int64_t moment = rl_waiter_now(waiter);
		int64_t slice_end = rl_clock_earlier(call->wait_until, moment + INTERRUPT_US);
		bool signal;

		slice_end = rl_clock_earlier(slice_end, waiter->poker != NULL ? waiter->poke_timeout : waiter->next_poke);
		signal = !call->runtime->transport->wait(connections, waiter->poker != NULL ? 2 : 1, moment, slice_end);
		if (!rl_waiter_check_place(waiter, &wake)) {
			return wake;
		}
		if (waiter->poker != NULL) {
			rl_waiter_check_poke(waiter);
		}
		moment = rl_waiter_now(waiter);
		if ((signal || moment >= slice_end) && !let_interrupt(waiter, &wake)) {
			return wake;
		}
		if (moment >= call->wait_until) {
			return RL_WAKE_DEADLINE;
		}
		if (waiter->poker == NULL && moment >= waiter->next_poke) {
			if (waiter->sliced) {
				/* Only one connection: it is needed to look at the lock. */
				rl_waiter_drop(waiter, &waiter->blocked);
				return RL_WAKE_TRY;
			}
			if (waiter->take_next) {
				return RL_WAKE_TRY;
			}
			rl_waiter_begin_poke(waiter);
		}
	}
}

/* The release script hands a reservation over just like a lock. Nobody waits for its answer. */
static void pass_on(rl_waiter *waiter)
{
	rl_error ignored;
	rl_command command;
	rl_call call;

	rl_call_begin(&call, waiter->call->client, rl_waiter_now(waiter), 0, &ignored);
	call.interruptible = false;
	call.end = rl_clock_earlier(call.end, waiter->call->end);
	rl_operation_release(&command, waiter->keys, rl_slice_make(waiter->reservation, waiter->reservation_length), 0);
	rl_call_write(&call, &command);
	waiter->reservation_length = 0;
}

void rl_waiter_leave(rl_waiter *waiter, bool acquired)
{
	const rl_runtime *runtime = waiter->call->runtime;

	if (rl_waiter_is_forked(waiter)) {
		forget(waiter);
	}
	if (!acquired && (waiter->reservation_length > 0 || rl_waiter_step_out(waiter))) {
		pass_on(waiter);
	}
	if (waiter->poker != NULL && runtime->transport->is_ready(waiter->poker)) {
		runtime->transport->disown_replies(waiter->poker);
		runtime->transport->give(runtime->connections, waiter->poker);
		waiter->poker = NULL;
	}
	rl_waiter_drop(waiter, &waiter->poker);
	rl_waiter_drop(waiter, &waiter->blocked);
}
