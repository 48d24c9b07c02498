#include "rl_wait.h"

#include "rl_clock.h"
#include "rl_operation.h"

#include <stdio.h>
#include <string.h>

enum {
	POKE_EVERY_US = 1000 * RL_US_PER_MS,
	/* At least this far apart while the holder of a short lease keeps renewing it. */
	POKE_LEAST_US = 600 * RL_US_PER_MS,
	/* The end of a lease is known to the millisecond, give or take the way of the answer. */
	RENEWED_US = 20 * RL_US_PER_MS,
	/* After the end of a lease; spreads the pokes of many waiters. */
	JITTER_US = 20 * RL_US_PER_MS,
	SLICE_US = 1000 * RL_US_PER_MS,
	/* The server's own limit on a BLPOP is only there in case we vanish: it comes this much after the wait. */
	BLOCK_MARGIN_US = 1000 * RL_US_PER_MS,
	/* How long a waiter that leaves waits for the server to confirm it. */
	LEAVE_US = 20 * RL_US_PER_MS,
	/* How long code of the application waits at most if its signal came at a bad moment. */
	INTERRUPT_US = 100 * RL_US_PER_MS
};

static int64_t now(const rl_waiter *waiter)
{
	return waiter->call->runtime->now(waiter->call->runtime->context);
}

static int64_t earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t dice(const rl_waiter *waiter, int64_t most)
{
	const rl_runtime *runtime = waiter->call->runtime;
	uint32_t number = 0;

	runtime->random(runtime->context, &number, sizeof(number));
	return (int64_t) (number % (uint32_t) most);
}

void rl_waiter_init(rl_waiter *waiter, rl_call *call, const rl_keys *keys)
{
	memset(waiter, 0, sizeof(*waiter));
	waiter->call = call;
	waiter->keys = keys;
	waiter->last_poke = call->started;
	waiter->process = call->process;
}

static bool is_forked(const rl_waiter *waiter)
{
	return waiter->call->runtime->process(waiter->call->runtime->context) != waiter->process;
}

static void drop(rl_waiter *waiter, rl_connection **connection)
{
	if (*connection != NULL) {
		waiter->call->runtime->transport->drop(waiter->call->runtime->connections, *connection);
		*connection = NULL;
	}
}

/* When to poke next, after the holder's lease was seen: about every second, and right after the lease's end. */
static void schedule(rl_waiter *waiter, int64_t left_ms)
{
	int64_t moment = now(waiter);
	int64_t next = moment + POKE_EVERY_US - dice(waiter, POKE_EVERY_US / 10);
	/* No lease, or one that ends in the far future. */
	int64_t end = left_ms < 0 || left_ms > INT64_MAX / 2 / RL_US_PER_MS - moment ? INT64_MAX : moment + left_ms * RL_US_PER_MS;
	/* The end that was seen before is met exactly; a lease that is being renewed is looked at less often. */
	bool renewed = waiter->lease_end != 0 && end - RENEWED_US > waiter->lease_end;
	int64_t least = renewed ? waiter->last_poke + POKE_LEAST_US : 0;

	if (end != INT64_MAX) {
		int64_t after = end + 2 * RL_US_PER_MS + dice(waiter, JITTER_US);

		next = earlier(next, after > least ? after : least);
	}
	if (waiter->sliced) {
		/* BLPOP itself ends in time; this is only for a server that forgets to. */
		next = moment + SLICE_US + SLICE_US / 2;
	}
	waiter->lease_end = end;
	waiter->next_poke = next;
	waiter->take_next = false;
}

/* The poke failed, or what it says makes no sense: the lock is looked at by trying to acquire it, in a second. */
static void fail_poke(rl_waiter *waiter)
{
	drop(waiter, &waiter->poker);
	waiter->take_next = true;
	waiter->next_poke = now(waiter) + POKE_EVERY_US - dice(waiter, POKE_EVERY_US / 10);
}

/* False: the connection is of no use, and was dropped; see call->error. */
static bool send_plain(rl_waiter *waiter, const rl_command *command)
{
	/* What else goes wrong here shows in the next receive. */
	if (waiter->call->runtime->transport->send(waiter->blocked, command, RL_BY_TEXT) == 0) {
		rl_error_set(waiter->call->error, RL_SYSTEM, "out of memory");
		drop(waiter, &waiter->blocked);
		return false;
	}
	return true;
}

static bool send_block(rl_waiter *waiter)
{
	int64_t block = waiter->sliced ? SLICE_US : waiter->call->wait_until - now(waiter) + BLOCK_MARGIN_US;
	char seconds[32];
	rl_command command;

	if (block < RL_US_PER_MS) {
		block = RL_US_PER_MS;
	}
	snprintf(seconds, sizeof(seconds), "%lld.%03lld", (long long) (block / RL_US_PER_S),
		(long long) (block % RL_US_PER_S / RL_US_PER_MS));
	rl_command_init_plain(&command, "BLPOP");
	rl_command_add(&command, waiter->keys->wake);
	rl_command_add(&command, rl_slice_text(seconds));
	return send_plain(waiter, &command);
}

/* Asks for the number by which another connection can end the BLPOP of this one. False: as send_block(). */
static bool ask_id(rl_waiter *waiter)
{
	rl_command command;

	rl_command_init_plain(&command, "CLIENT");
	rl_command_add(&command, rl_slice_text("ID"));
	return send_plain(waiter, &command);
}

/* Takes a place in the queue. */
static bool block(rl_waiter *waiter, rl_wake *wake)
{
	rl_call *call = waiter->call;
	rl_exchange exchange;

	waiter->blocked = rl_call_take(call, earlier(call->wait_until, call->end), &exchange);
	if (waiter->blocked == NULL) {
		*wake = exchange.outcome == RL_STOPPED ? RL_WAKE_STOPPED
			: now(waiter) >= call->wait_until ? RL_WAKE_DEADLINE : RL_WAKE_FAILED;
		return false;
	}
	*wake = RL_WAKE_FAILED;
	waiter->asks_id = *call->runtime->transport->client_id(waiter->blocked) == 0 && !call->client->endpoint->cannot_unblock;
	if (waiter->asks_id && !ask_id(waiter)) {
		return false;
	}
	return send_block(waiter);
}

static bool has_code(rl_slice text, const char *code)
{
	return text.length >= strlen(code) && memcmp(text.data, code, strlen(code)) == 0;
}

/* CLIENT answered with an error. True: it was meant for whatever comes behind it, too. */
static bool handle_client_error(rl_waiter *waiter, rl_slice text)
{
	rl_error error;

	rl_error_set_reply(&error, "", text.data, text.length);
	if (!rl_error_is_transient(&error)) {
		waiter->call->client->endpoint->cannot_unblock = true;
	}
	return rl_error_is_full(&error);
}

/* Looks for the answer to BLPOP, behind that to CLIENT ID. RL_READY may be an error that is meant for either. */
static rl_progress receive_blocked(rl_waiter *waiter, const rl_reply **reply)
{
	const rl_transport *transport = waiter->call->runtime->transport;
	rl_progress progress = transport->receive(waiter->blocked, reply);

	if (progress != RL_READY || !waiter->asks_id) {
		return progress;
	}
	waiter->asks_id = false;
	if ((*reply)->type == RL_REPLY_INTEGER && (*reply)->root.integer > 0) {
		*transport->client_id(waiter->blocked) = (*reply)->root.integer;
	} else if ((*reply)->type != RL_REPLY_ERROR
			|| handle_client_error(waiter, rl_reply_text(*reply, &(*reply)->root))) {
		return RL_READY;
	}
	return transport->receive(waiter->blocked, reply);
}

/* BLPOP answered with an error. True: go on waiting. */
static bool handle_block_error(rl_waiter *waiter, rl_slice text, rl_wake *wake)
{
	rl_call *call = waiter->call;
	/* The text goes with the connection. */
	bool forbidden = has_code(text, "NOPERM") || has_code(text, "ERR unknown command");

	if (has_code(text, "UNBLOCKED")) {
		/* CLIENT UNBLOCK id ERROR: an administrator's doing, and no reason to give up. */
		*wake = RL_WAKE_FAILED;
		return send_block(waiter);
	}
	rl_error_set_reply(call->error, call->client->endpoint->display, text.data, text.length);
	drop(waiter, &waiter->blocked);
	if (forbidden) {
		call->client->endpoint->cannot_block = true;
		waiter->polling = true;
		*wake = RL_WAKE_TRY;
		return false;
	}
	rl_call_note_failure(call);
	*wake = RL_WAKE_FAILED;
	return false;
}

/* BLPOP's answer: a reservation. False: it is not one. */
static bool read_reservation(rl_waiter *waiter, const rl_reply *reply)
{
	rl_slice number;

	if (reply->type != RL_REPLY_ARRAY || reply->element_count != 2 || reply->elements[1].type != RL_REPLY_STRING) {
		return false;
	}
	number = rl_reply_text(reply, &reply->elements[1]);
	if (number.length + 8 > sizeof(waiter->reservation)) {
		return false;
	}
	memcpy(waiter->reservation, "handoff:", 8);
	memcpy(waiter->reservation + 8, number.data, number.length);
	waiter->reservation_length = number.length + 8;
	return true;
}

/* Looks at the blocked connection. True: go on waiting. */
static bool check_blocked(rl_waiter *waiter, rl_wake *wake)
{
	rl_call *call = waiter->call;
	const rl_transport *transport = call->runtime->transport;
	const rl_reply *reply;

	switch (receive_blocked(waiter, &reply)) {
		case RL_PENDING:
			return true;
		case RL_FAILED:
			*call->error = *transport->error(waiter->blocked);
			drop(waiter, &waiter->blocked);
			rl_call_note_failure(call);
			*wake = RL_WAKE_FAILED;
			return false;
		case RL_READY:
			break;
	}
	if (reply->type == RL_REPLY_ERROR) {
		return handle_block_error(waiter, rl_reply_text(reply, &reply->root), wake);
	}
	if (reply->type == RL_REPLY_NIL) {
		if (!waiter->sliced) {
			/* Earlier than asked: the server's clock was set, or an administrator unblocked us. */
			*wake = RL_WAKE_FAILED;
			return send_block(waiter);
		}
	} else if (!read_reservation(waiter, reply)) {
		rl_error_set(call->error, RL_SERVER, "%s: the answer to BLPOP is not one", call->client->endpoint->display);
		drop(waiter, &waiter->blocked);
		*wake = RL_WAKE_FAILED;
		return false;
	}
	transport->give(call->runtime->connections, waiter->blocked);
	waiter->blocked = NULL;
	*wake = RL_WAKE_TRY;
	return false;
}

/* No second connection: from now on the queue is left every second, to look at the lock. */
static void slice(rl_waiter *waiter)
{
	drop(waiter, &waiter->poker);
	if (!waiter->sliced) {
		waiter->sliced = true;
		waiter->next_poke = now(waiter);
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
	waiter->last_poke = now(waiter);
	waiter->poke_timeout = waiter->last_poke + call->client->timeout_us;
	if (call->runtime->transport->send(waiter->poker, &command, waiter->poke_by_text ? RL_BY_TEXT : RL_BY_HASH) == 0) {
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

		if (has_code(text, "NOSCRIPT") && !waiter->poke_by_text) {
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
	schedule(waiter, left_ms);
	if (reserved == 1) {
		/* If whoever it is for does not take it, the lock is free as it ends. */
		waiter->take_next = true;
		waiter->next_poke = now(waiter) + (left_ms + 2) * RL_US_PER_MS + dice(waiter, JITTER_US);
	}
}

/* Looks at the second connection. */
static void check_poker(rl_waiter *waiter)
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
	} else if (now(waiter) >= waiter->poke_timeout) {
		fail_poke(waiter);
	}
}

static void begin_poke(rl_waiter *waiter)
{
	const rl_call *call = waiter->call;

	waiter->poke_sent = false;
	waiter->poker = call->runtime->transport->take(call->runtime->connections, call->client->endpoint, false);
	if (waiter->poker == NULL) {
		fail_poke(waiter);
		return;
	}
	waiter->poke_timeout = now(waiter) + call->client->connect_timeout_us;
	if (call->runtime->transport->is_ready(waiter->poker)) {
		send_poke(waiter);
	}
}

/* A forked child has no place in its parent's queue. Only its copies of the descriptors are closed. */
static void forget(rl_waiter *waiter)
{
	drop(waiter, &waiter->blocked);
	drop(waiter, &waiter->poker);
	waiter->reservation_length = 0;
	waiter->process = waiter->call->runtime->process(waiter->call->runtime->context);
}

/* Without BLPOP: a pause, longer from time to time, and never past the deadline. */
static rl_wake poll_once(rl_waiter *waiter)
{
	rl_call *call = waiter->call;
	int64_t until;

	/* The pauses go on growing, though every try in between is answered. */
	call->pause_us = waiter->pause_us;
	until = rl_call_backoff(call, 5 * RL_US_PER_MS, 250 * RL_US_PER_MS);
	waiter->pause_us = call->pause_us;
	if (!rl_call_sleep(call, earlier(until, call->wait_until))) {
		return RL_WAKE_STOPPED;
	}
	return now(waiter) >= call->wait_until ? RL_WAKE_DEADLINE : RL_WAKE_TRY;
}

/* Lets code of the application run. False: *wake says why the wait is over. */
static bool let_interrupt(rl_waiter *waiter, rl_wake *wake)
{
	bool stop = rl_call_interrupt(waiter->call);

	if (is_forked(waiter)) {
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

	if (is_forked(waiter)) {
		forget(waiter);
	}
	waiter->reservation_length = 0;
	if (waiter->polling || call->client->endpoint->cannot_block) {
		return poll_once(waiter);
	}
	if (waiter->blocked == NULL && !block(waiter, &wake)) {
		return wake;
	}
	schedule(waiter, left_ms);
	for (;;) {
		rl_connection *connections[2] = {waiter->blocked, waiter->poker};
		int64_t moment = now(waiter);
		int64_t slice_end = earlier(call->wait_until, moment + INTERRUPT_US);
		bool signal;

		slice_end = earlier(slice_end, waiter->poker != NULL ? waiter->poke_timeout : waiter->next_poke);
		signal = !call->runtime->transport->wait(connections, waiter->poker != NULL ? 2 : 1, slice_end);
		if (!check_blocked(waiter, &wake)) {
			return wake;
		}
		if (waiter->poker != NULL) {
			check_poker(waiter);
		}
		moment = now(waiter);
		if ((signal || moment >= slice_end) && !let_interrupt(waiter, &wake)) {
			return wake;
		}
		if (moment >= call->wait_until) {
			return RL_WAKE_DEADLINE;
		}
		if (waiter->poker == NULL && moment >= waiter->next_poke) {
			if (waiter->sliced) {
				/* Only one connection: it is needed to look at the lock. */
				drop(waiter, &waiter->blocked);
				return RL_WAKE_TRY;
			}
			if (waiter->take_next) {
				return RL_WAKE_TRY;
			}
			begin_poke(waiter);
		}
	}
}

/*
 * The blocked connection, or the reply that came on it, is done with. reusable: nothing that is under way can unblock it
 * once more, in its next wait. True: it was a wake-up.
 */
static bool take_answer(rl_waiter *waiter, rl_progress progress, const rl_reply *reply, bool reusable)
{
	const rl_runtime *runtime = waiter->call->runtime;

	if (progress != RL_READY || reply->type == RL_REPLY_ERROR
			|| (reply->type != RL_REPLY_NIL && !read_reservation(waiter, reply))) {
		drop(waiter, &waiter->blocked);
		return false;
	}
	if (!reusable) {
		drop(waiter, &waiter->blocked);
	} else {
		runtime->transport->give(runtime->connections, waiter->blocked);
		waiter->blocked = NULL;
	}
	return waiter->reservation_length > 0;
}

/* The connection over which a waiter that leaves talks to the server. NULL: none at once. */
static rl_connection *take_other(rl_waiter *waiter)
{
	const rl_call *call = waiter->call;
	const rl_transport *transport = call->runtime->transport;
	rl_connection *other = waiter->poker;

	waiter->poker = NULL;
	if (other != NULL) {
		transport->disown_replies(other);
		return other;
	}
	return transport->take(call->runtime->connections, call->client->endpoint, false);
}

static void send_unblock(rl_waiter *waiter, rl_connection *other)
{
	const rl_transport *transport = waiter->call->runtime->transport;
	rl_command command;

	rl_command_init_plain(&command, "CLIENT");
	rl_command_add(&command, rl_slice_text("UNBLOCK"));
	rl_command_add_number(&command, *transport->client_id(waiter->blocked));
	transport->send(other, &command, RL_BY_TEXT);
}

/*
 * Lets the server end our BLPOP. Its answer then says whether we were woken before. (If it noticed the end of a connection
 * instead, right after it had woken us, it would drop the answer, and the wake-up with it.) False: that cannot be done;
 * the connection is still blocked.
 */
static bool unblock(rl_waiter *waiter)
{
	const rl_call *call = waiter->call;
	const rl_transport *transport = call->runtime->transport;
	int64_t until = earlier(now(waiter) + LEAVE_US, call->end);
	rl_progress progress = RL_PENDING, other_progress = RL_PENDING;
	const rl_reply *reply, *said;
	rl_connection *other = NULL;
	bool sent = false, refused = false;

	if (!waiter->asks_id && *transport->client_id(waiter->blocked) > 0 && !call->client->endpoint->cannot_unblock) {
		other = take_other(waiter);
	}
	while (other != NULL && !refused && progress == RL_PENDING && now(waiter) < until) {
		rl_connection *connections[2] = {waiter->blocked, other};

		if (!sent && transport->is_ready(other)) {
			send_unblock(waiter, other);
			sent = true;
		}
		/* Once the other one has answered nothing comes from it but its end, which must not keep us awake. */
		transport->wait(connections, other_progress == RL_READY ? 1 : 2, until);
		if (other_progress == RL_PENDING) {
			other_progress = transport->receive(other, &said);
			refused = other_progress == RL_READY && said->type == RL_REPLY_ERROR;
		}
		if (other_progress == RL_FAILED) {
			drop(waiter, &other);
		} else if (refused) {
			handle_client_error(waiter, rl_reply_text(said, &said->root));
		}
		progress = transport->receive(waiter->blocked, &reply);
	}
	if (other != NULL && sent) {
		transport->disown_replies(other);
		transport->give(call->runtime->connections, other);
	} else {
		drop(waiter, &other);
	}
	if (progress == RL_PENDING) {
		return false;
	}
	take_answer(waiter, progress, reply, !sent || other_progress == RL_READY);
	return true;
}

bool rl_waiter_hang_up(rl_waiter *waiter)
{
	const rl_transport *transport = waiter->call->runtime->transport;
	int64_t until = earlier(now(waiter) + LEAVE_US, waiter->call->end);
	rl_progress progress;
	const rl_reply *reply;

	if (waiter->blocked == NULL || is_forked(waiter)) {
		return false;
	}
	transport->hang_up(waiter->blocked);
	progress = receive_blocked(waiter, &reply);
	while (progress == RL_PENDING && now(waiter) < until) {
		transport->wait(&waiter->blocked, 1, until);
		progress = receive_blocked(waiter, &reply);
	}
	if (progress == RL_READY && reply->type == RL_REPLY_ARRAY) {
		read_reservation(waiter, reply);
	}
	/* Nobody can use it again. */
	drop(waiter, &waiter->blocked);
	return waiter->reservation_length > 0;
}

bool rl_waiter_step_out(rl_waiter *waiter)
{
	const rl_reply *reply;
	rl_progress progress;

	if (waiter->blocked == NULL || is_forked(waiter)) {
		return false;
	}
	progress = receive_blocked(waiter, &reply);
	if (progress != RL_PENDING) {
		return take_answer(waiter, progress, reply, true);
	}
	return unblock(waiter) ? waiter->reservation_length > 0 : rl_waiter_hang_up(waiter);
}

/* The release script hands a reservation over just like a lock. Nobody waits for its answer. */
static void pass_on(rl_waiter *waiter)
{
	rl_error ignored;
	rl_command command;
	rl_call call;

	rl_call_begin(&call, waiter->call->client, 0, &ignored);
	call.interruptible = false;
	call.end = earlier(call.end, waiter->call->end);
	rl_operation_release(&command, waiter->keys, rl_slice_make(waiter->reservation, waiter->reservation_length), 0);
	rl_call_write(&call, &command);
	waiter->reservation_length = 0;
}

void rl_waiter_leave(rl_waiter *waiter, bool acquired)
{
	const rl_runtime *runtime = waiter->call->runtime;

	if (is_forked(waiter)) {
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
	drop(waiter, &waiter->poker);
	drop(waiter, &waiter->blocked);
}
