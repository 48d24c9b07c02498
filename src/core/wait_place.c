/* The place of a waiter in the queue: it is taken by BLPOP, whose answer is the wake-up; and it must be left in order. */
#include "rl_operation.h"
#include "rl_wait_private.h"

#include <stdio.h>
#include <string.h>

enum {
	/* The server's own limit on a BLPOP is only there in case we vanish: it comes this much after the wait. */
	BLOCK_MARGIN_US = 1000 * RL_US_PER_MS,
	/* How long a waiter that leaves waits for the server to confirm it. */
	LEAVE_US = 20 * RL_US_PER_MS
};

/* False: the connection is of no use, and was dropped; see call->error. */
static bool send_plain(rl_waiter *waiter, const rl_command *command)
{
	/* What else goes wrong here shows in the next receive. */
	if (waiter->call->runtime->transport->send(waiter->blocked, command, RL_BY_TEXT, rl_waiter_now(waiter)) == 0) {
		rl_error_set(waiter->call->error, RL_SYSTEM, "out of memory");
		rl_waiter_drop(waiter, &waiter->blocked);
		return false;
	}
	return true;
}

static bool send_block(rl_waiter *waiter)
{
	int64_t block = waiter->sliced ? RL_WAIT_SLICE_US : waiter->call->wait_until - rl_waiter_now(waiter) + BLOCK_MARGIN_US;
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

bool rl_waiter_take_place(rl_waiter *waiter, rl_wake *wake)
{
	rl_call *call = waiter->call;
	rl_exchange exchange;

	waiter->blocked = rl_call_take(call, rl_clock_earlier(call->wait_until, call->end), &exchange);
	if (waiter->blocked == NULL) {
		*wake = exchange.outcome == RL_STOPPED ? RL_WAKE_STOPPED
			: rl_waiter_now(waiter) >= call->wait_until ? RL_WAKE_DEADLINE : RL_WAKE_FAILED;
		return false;
	}
	*wake = RL_WAKE_FAILED;
	waiter->asks_id = *call->runtime->transport->client_id(waiter->blocked) == 0 && !call->client->endpoint->cannot_unblock;
	if (waiter->asks_id && !ask_id(waiter)) {
		return false;
	}
	return send_block(waiter);
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
	bool forbidden = rl_slice_begins_with(text, "NOPERM") || rl_slice_begins_with(text, "ERR unknown command");

	if (rl_slice_begins_with(text, "UNBLOCKED")) {
		/* CLIENT UNBLOCK id ERROR: an administrator's doing, and no reason to give up. */
		*wake = RL_WAKE_FAILED;
		return send_block(waiter);
	}
	rl_error_set_reply(call->error, call->client->endpoint->display, text.data, text.length);
	rl_waiter_drop(waiter, &waiter->blocked);
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

bool rl_waiter_check_place(rl_waiter *waiter, rl_wake *wake)
{
	rl_call *call = waiter->call;
	const rl_transport *transport = call->runtime->transport;
	const rl_reply *reply;

	switch (receive_blocked(waiter, &reply)) {
		case RL_PENDING:
			return true;
		case RL_FAILED:
			*call->error = *transport->error(waiter->blocked);
			rl_waiter_drop(waiter, &waiter->blocked);
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
		rl_waiter_drop(waiter, &waiter->blocked);
		*wake = RL_WAKE_FAILED;
		return false;
	}
	transport->give(call->runtime->connections, waiter->blocked);
	waiter->blocked = NULL;
	*wake = RL_WAKE_TRY;
	return false;
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
		rl_waiter_drop(waiter, &waiter->blocked);
		return false;
	}
	if (!reusable) {
		rl_waiter_drop(waiter, &waiter->blocked);
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
	transport->send(other, &command, RL_BY_TEXT, rl_waiter_now(waiter));
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
	int64_t until = rl_clock_earlier(rl_waiter_now(waiter) + LEAVE_US, call->end);
	rl_progress progress = RL_PENDING, other_progress = RL_PENDING;
	const rl_reply *reply, *said;
	rl_connection *other = NULL;
	bool sent = false, refused = false;

	if (!waiter->asks_id && *transport->client_id(waiter->blocked) > 0 && !call->client->endpoint->cannot_unblock) {
		other = take_other(waiter);
	}
	while (other != NULL && !refused && progress == RL_PENDING && rl_waiter_now(waiter) < until) {
		rl_connection *connections[2] = {waiter->blocked, other};

		if (!sent && transport->is_ready(other)) {
			send_unblock(waiter, other);
			sent = true;
		}
		/* Once the other one has answered nothing comes from it but its end, which must not keep us awake. */
		transport->wait(connections, other_progress == RL_READY ? 1 : 2, rl_waiter_now(waiter), until);
		if (other_progress == RL_PENDING) {
			other_progress = transport->receive(other, &said);
			refused = other_progress == RL_READY && said->type == RL_REPLY_ERROR;
		}
		if (other_progress == RL_FAILED) {
			rl_waiter_drop(waiter, &other);
		} else if (refused) {
			handle_client_error(waiter, rl_reply_text(said, &said->root));
		}
		progress = transport->receive(waiter->blocked, &reply);
	}
	if (other != NULL && sent) {
		transport->disown_replies(other);
		transport->give(call->runtime->connections, other);
	} else {
		rl_waiter_drop(waiter, &other);
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
	int64_t until = rl_clock_earlier(rl_waiter_now(waiter) + LEAVE_US, waiter->call->end);
	rl_progress progress;
	const rl_reply *reply;

	if (waiter->blocked == NULL || rl_waiter_is_forked(waiter)) {
		return false;
	}
	transport->hang_up(waiter->blocked);
	progress = receive_blocked(waiter, &reply);
	while (progress == RL_PENDING && rl_waiter_now(waiter) < until) {
		transport->wait(&waiter->blocked, 1, rl_waiter_now(waiter), until);
		progress = receive_blocked(waiter, &reply);
	}
	if (progress == RL_READY && reply->type == RL_REPLY_ARRAY) {
		read_reservation(waiter, reply);
	}
	/* Nobody can use it again. */
	rl_waiter_drop(waiter, &waiter->blocked);
	return waiter->reservation_length > 0;
}

bool rl_waiter_step_out(rl_waiter *waiter)
{
	const rl_reply *reply;
	rl_progress progress;

	if (waiter->blocked == NULL || rl_waiter_is_forked(waiter)) {
		return false;
	}
	progress = receive_blocked(waiter, &reply);
	if (progress != RL_PENDING) {
		return take_answer(waiter, progress, reply, true);
	}
	return unblock(waiter) ? waiter->reservation_length > 0 : rl_waiter_hang_up(waiter);
}
