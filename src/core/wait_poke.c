/* The look at the lock while waiting: it renews the wait flag, and finds a lock that became free without a release. */
#include "rl_wait_private.h"

enum {
	POKE_EVERY_US = 1000 * RL_US_PER_MS,
	/* At least this far apart while the holder of a short lease keeps renewing it. */
	POKE_LEAST_US = 600 * RL_US_PER_MS,
	/* The end of a lease is known to the millisecond, give or take the way of the answer. */
	RENEWED_US = 20 * RL_US_PER_MS,
	/* After the end of a lease; spreads the pokes of many waiters. */
	JITTER_US = 20 * RL_US_PER_MS
};

static int64_t dice(const rl_waiter *waiter, int64_t most)
{
	const rl_runtime *runtime = waiter->call->runtime;
	uint32_t number = 0;

	runtime->random(runtime->context, &number, sizeof(number));
	return (int64_t) (number % (uint32_t) most);
}

void rl_waiter_schedule_poke(rl_waiter *waiter, int64_t left_ms)
{
	int64_t moment = rl_waiter_now(waiter);
	int64_t next = moment + POKE_EVERY_US - dice(waiter, POKE_EVERY_US / 10);
	/* No lease, or one that ends in the far future. */
	int64_t end = left_ms < 0 || left_ms > INT64_MAX / 2 / RL_US_PER_MS - moment ? INT64_MAX : moment + left_ms * RL_US_PER_MS;
	/* The end that was seen before is met exactly; a lease that is being renewed is looked at less often. */
	bool renewed = waiter->lease_end != 0 && end - RENEWED_US > waiter->lease_end;
	int64_t least = renewed ? waiter->last_poke + POKE_LEAST_US : 0;

	if (end != INT64_MAX) {
		int64_t after = end + 2 * RL_US_PER_MS + dice(waiter, JITTER_US);

		next = rl_clock_earlier(next, after > least ? after : least);
	}
	if (waiter->sliced) {
		/* BLPOP itself ends in time; this is only for a server that forgets to. */
		next = moment + RL_WAIT_SLICE_US + RL_WAIT_SLICE_US / 2;
	}
	waiter->lease_end = end;
	waiter->next_poke = next;
	waiter->take_next = false;
}

/* The poke failed, or what it says makes no sense: the lock is looked at by trying to acquire it, in a second. */
static void fail_poke(rl_waiter *waiter)
{
	rl_waiter_drop(waiter, &waiter->poker);
	waiter->take_next = true;
	waiter->next_poke = rl_waiter_now(waiter) + POKE_EVERY_US - dice(waiter, POKE_EVERY_US / 10);
}

/* No second connection: from now on the queue is left every second, to look at the lock. */
static void slice(rl_waiter *waiter)
{
	rl_waiter_drop(waiter, &waiter->poker);
	if (!waiter->sliced) {
		waiter->sliced = true;
		waiter->next_poke = rl_waiter_now(waiter);
	}
}

static void send_poke(rl_waiter *waiter)
{
	const rl_call *call = waiter->call;
	rl_command command;

	rl_command_init_script(&command, RL_SCRIPT_POKE);
	rl_command_add_key(&command, waiter->keys->lock);
	rl_command_add_key(&command, waiter->keys->fence);
	rl_command_add_key(&command, waiter->keys->wait);
	rl_command_add_key(&command, waiter->keys->wake);
	rl_command_add_number(&command, RL_WAIT_FLAG_MS);
	waiter->poke_sent = true;
	waiter->last_poke = rl_waiter_now(waiter);
	waiter->poke_timeout = waiter->last_poke + call->client->timeout_us;
	if (call->runtime->transport->send(waiter->poker, &command, waiter->poke_by_text ? RL_BY_TEXT : RL_BY_HASH,
			waiter->last_poke) == 0) {
		fail_poke(waiter);
	}
}

/* The poke was answered. */
static void read_poke(rl_waiter *waiter, const rl_reply *reply)
{
	const rl_runtime *runtime = waiter->call->runtime;
	int64_t reserved, left_ms;

	if (reply->type == RL_REPLY_ERROR) {
		rl_slice text = rl_reply_text(reply, &reply->root);
		rl_error error;

		if (rl_slice_begins_with(text, "NOSCRIPT") && !waiter->poke_by_text) {
			waiter->poke_by_text = true;
			send_poke(waiter);
			return;
		}
		rl_error_set_reply(&error, "", text.data, text.length);
		if (rl_error_is_full(&error)) {
			slice(waiter);
		} else {
			/* What is wrong will be said by the next try to acquire, if it still is. */
			fail_poke(waiter);
		}
		return;
	}
	waiter->poke_by_text = false;
	if (!rl_reply_number(reply, 0, 0, 1, &reserved) || !rl_reply_number(reply, 1, -1, INT64_MAX / 2000, &left_ms)) {
		fail_poke(waiter);
		return;
	}
	runtime->transport->give(runtime->connections, waiter->poker);
	waiter->poker = NULL;
	rl_waiter_schedule_poke(waiter, left_ms);
	if (reserved == 1) {
		/* If whoever it is for does not take it, the lock is free as it ends. */
		waiter->take_next = true;
		waiter->next_poke = rl_waiter_now(waiter) + (left_ms + 2) * RL_US_PER_MS + dice(waiter, JITTER_US);
	}
}

void rl_waiter_check_poke(rl_waiter *waiter)
{
	const rl_transport *transport = waiter->call->runtime->transport;
	const rl_reply *reply;
	rl_progress progress = transport->receive(waiter->poker, &reply);

	if (progress == RL_READY && waiter->poke_sent) {
		waiter->poke_sent = false;
		read_poke(waiter, reply);
	} else if (progress == RL_FAILED) {
		if (waiter->poke_sent) {
			fail_poke(waiter);
		} else {
			slice(waiter);
		}
	} else if (!waiter->poke_sent && transport->is_ready(waiter->poker)) {
		send_poke(waiter);
	} else if (rl_waiter_now(waiter) >= waiter->poke_timeout) {
		fail_poke(waiter);
	}
}

void rl_waiter_begin_poke(rl_waiter *waiter)
{
	const rl_call *call = waiter->call;

	waiter->poke_sent = false;
	waiter->poker = call->runtime->transport->take(call->runtime->connections, call->client->endpoint, false);
	if (waiter->poker == NULL) {
		fail_poke(waiter);
		return;
	}
	waiter->poke_timeout = rl_waiter_now(waiter) + call->client->connect_timeout_us;
	if (call->runtime->transport->is_ready(waiter->poker)) {
		send_poke(waiter);
	}
}
