#include "rl_call.h"

#include "rl_clock.h"

/* How long code of the application waits at most before it gets to run, if a signal came at a bad moment. */
enum { SLICE_US = 100 * RL_US_PER_MS };

/* How long a server that could not be reached is spared the releases of objects that are destroyed. */
enum { UNREACHABLE_US = 5 * RL_US_PER_S };

/* How long a command whose answer nobody waits for waits for the answers to those before it. */
enum { ROOM_US = 20 * RL_US_PER_MS };

/* Between two tries. */
enum { LEAST_PAUSE_US = 5 * RL_US_PER_MS, MOST_PAUSE_US = 250 * RL_US_PER_MS };

void rl_call_begin(rl_call *call, const rl_client *client, int64_t moment, int64_t wait_us, rl_error *error)
{
	*call = (rl_call) {
		.client = client,
		.runtime = client->runtime,
		.process = rl_runtime_process(client->runtime),
		.started = moment,
		.send_moment = moment,
		.interruptible = true,
		.error = error
	};
	call->wait_until = call->started + wait_us;
	call->end = call->wait_until + 2 * client->timeout_us;
	error->status = RL_OK;
	error->code[0] = error->message[0] = '\0';
}

static int64_t now(const rl_call *call)
{
	return rl_runtime_now(call->runtime);
}

bool rl_call_interrupt(rl_call *call)
{
	int process;

	if (!call->interruptible) {
		return false;
	}
	if (call->runtime->interrupted(call->runtime->context)) {
		call->stopped = true;
	}
	process = rl_runtime_process(call->runtime);
	if (process != call->process) {
		/* We are the child, and go on as a process of our own. */
		call->process = process;
		call->forked = true;
	}
	return call->stopped;
}

typedef enum waited {
	WAITED_READY,
	WAITED_FAILED,
	WAITED_TIMEOUT,
	WAITED_STOPPED,
	WAITED_FORKED
} waited;

/* Whether the call can send: one that waits for no answer does not wait for that to the log-in either. */
static bool can_send(const rl_call *call, const rl_connection *connection)
{
	const rl_transport *transport = call->runtime->transport;

	return call->in_passing ? transport->can_send(connection) : transport->is_ready(connection);
}

/* Waits for a reply, or with reply NULL until the connection can send. `moment` is now, which the caller has asked for. */
static waited wait_for(rl_call *call, rl_connection *connection, const rl_reply **reply, int64_t moment, int64_t until)
{
	const rl_transport *transport = call->runtime->transport;
	const rl_reply *nothing;

	for (;;) {
		int64_t slice = rl_clock_earlier(until, moment + SLICE_US);
		bool signal = !transport->wait(&connection, 1, moment, slice);
		rl_progress progress = transport->receive(connection, reply == NULL ? &nothing : reply);

		if (progress == RL_FAILED) {
			return WAITED_FAILED;
		}
		if (progress == RL_READY || (reply == NULL && can_send(call, connection))) {
			return WAITED_READY;
		}
		moment = now(call);
		if (signal || moment >= slice) {
			int process = call->process;
			bool stop = rl_call_interrupt(call);

			if (call->process != process) {
				return WAITED_FORKED;
			}
			if (stop) {
				return WAITED_STOPPED;
			}
		}
		if (moment >= until) {
			return WAITED_TIMEOUT;
		}
	}
}

void rl_call_note_failure(rl_call *call)
{
	call->fresh = true;
	if (call->failing_since == 0) {
		call->failing_since = now(call);
	}
}

/* Nothing was sent. */
static void end_unsent(rl_call *call, rl_connection *connection, rl_exchange *exchange, waited how)
{
	const rl_transport *transport = call->runtime->transport;

	exchange->outcome = call->stopped ? RL_STOPPED : RL_UNSENT;
	switch (how) {
		case WAITED_FAILED:
			*call->error = *transport->error(connection);
			break;
		case WAITED_FORKED:
			rl_error_set(call->error, RL_CONNECTION, "%s: the process was forked during the call",
				call->client->endpoint->display);
			break;
		default:
			rl_error_set(call->error, RL_CONNECTION, "%s: no connection within %.3f s%s", call->client->endpoint->display,
				(double) (now(call) - call->started) / RL_US_PER_S, rl_endpoint_hint(call->client->endpoint));
	}
	transport->drop(call->runtime->connections, connection);
	rl_call_note_failure(call);
}

/* It was written in whole, and no answer came. */
static void end_unanswered(rl_call *call, rl_connection *connection, rl_exchange *exchange, waited how)
{
	const rl_transport *transport = call->runtime->transport;

	exchange->maybe_run = true;
	if (how == WAITED_FAILED) {
		*call->error = *transport->error(connection);
		exchange->outcome = call->error->status == RL_SERVER ? RL_REFUSED : RL_UNANSWERED;
		transport->drop(call->runtime->connections, connection);
	} else {
		exchange->outcome = how == WAITED_STOPPED ? RL_STOPPED : RL_UNANSWERED;
		rl_error_set(call->error, RL_CONNECTION, "%s: no answer within %.3f s", call->client->endpoint->display,
			(double) call->client->timeout_us / RL_US_PER_S);
		exchange->connection = connection;
	}
	rl_call_note_failure(call);
}

rl_connection *rl_call_take(rl_call *call, int64_t until, rl_exchange *exchange)
{
	const rl_transport *transport = call->runtime->transport;
	rl_connection *connection = transport->take(call->runtime->connections, call->client->endpoint, call->fresh);
	int64_t moment;
	waited how;

	if (connection == NULL) {
		exchange->outcome = RL_UNSENT;
		rl_error_set(call->error, RL_SYSTEM, "out of memory");
		return NULL;
	}
	call->reused = can_send(call, connection);
	if (call->reused) {
		return connection;
	}
	if (call->in_passing && call->runtime->no_connecting_until != NULL
			&& call->started < *call->runtime->no_connecting_until) {
		transport->drop(call->runtime->connections, connection);
		rl_error_set(call->error, RL_CONNECTION, "%s: another server could not be reached just before",
			call->client->endpoint->display);
		exchange->outcome = RL_UNSENT;
		return NULL;
	}
	call->send_moment = 0;
	moment = now(call);
	how = wait_for(call, connection, NULL, moment, rl_clock_earlier(moment + call->client->connect_timeout_us, until));
	if (how == WAITED_READY) {
		call->client->endpoint->unreachable_until = 0;
		return connection;
	}
	if (how == WAITED_FAILED || how == WAITED_TIMEOUT) {
		/* So that many objects that die at once do not wait one after the other. */
		call->client->endpoint->unreachable_until = now(call) + UNREACHABLE_US;
		if (how == WAITED_TIMEOUT && call->in_passing && call->runtime->no_connecting_until != NULL) {
			/* A refusal has cost no time, and says nothing of other servers. */
			*call->runtime->no_connecting_until = now(call) + UNREACHABLE_US;
		}
	}
	end_unsent(call, connection, exchange, how);
	return NULL;
}

/*
 * Waits a moment for answers, so that a server which is there is not flooded with connections. False: the command must
 * not be written on this connection.
 */
static bool wait_for_room(rl_call *call, rl_connection *connection, const rl_command *command)
{
	const rl_transport *transport = call->runtime->transport;
	rl_endpoint *endpoint = call->client->endpoint;
	int64_t until = rl_clock_earlier(now(call) + ROOM_US, call->end);
	const rl_reply *nothing;

	while (!transport->has_room(connection, command)) {
		int64_t moment = now(call);

		if (moment < endpoint->silent_until) {
			return false;
		}
		if (moment >= until) {
			/* So that many objects that die at once do not wait one after the other. */
			endpoint->silent_until = moment + UNREACHABLE_US;
			return false;
		}
		transport->wait(&connection, 1, moment, until);
		if (transport->receive(connection, &nothing) == RL_FAILED) {
			return false;
		}
	}
	return true;
}

bool rl_call_write(rl_call *call, const rl_command *command)
{
	const rl_transport *transport = call->runtime->transport;
	rl_endpoint *endpoint = call->client->endpoint;
	rl_connection *connection;
	rl_exchange exchange;

	call->in_passing = true;
	for (;;) {
		if (call->started < endpoint->unreachable_until) {
			rl_error_set(call->error, RL_CONNECTION, "%s: could not be reached just before", endpoint->display);
			return false;
		}
		connection = rl_call_take(call, call->end, &exchange);
		if (connection == NULL) {
			return false;
		}
		if (wait_for_room(call, connection, command)) {
			break;
		}
		/* What is on it will be run. */
		transport->park(call->runtime->connections, connection);
	}
	transport->send(connection, command, RL_BY_TEXT, now(call));
	transport->disown_replies(connection);
	transport->give(call->runtime->connections, connection);
	return true;
}

static void end_with_error_reply(rl_call *call, rl_connection *connection, rl_exchange *exchange)
{
	const rl_transport *transport = call->runtime->transport;
	rl_slice text = rl_reply_text(exchange->reply, &exchange->reply->root);

	exchange->outcome = RL_REFUSED;
	rl_error_set_reply(call->error, call->client->endpoint->display, text.data, text.length);
	if (strstr(call->error->message, "Protocol error") != NULL) {
		/* The server closes the connection behind it. */
		transport->drop(call->runtime->connections, connection);
	} else if (rl_error_is_transient(call->error)) {
		/* The name may lead to another server by now: it is looked up anew. */
		transport->drop(call->runtime->connections, connection);
		rl_call_note_failure(call);
	} else {
		transport->give(call->runtime->connections, connection);
	}
}

void rl_call_exchange(rl_call *call, const rl_command *command, rl_exchange *exchange)
{
	const rl_transport *transport = call->runtime->transport;
	rl_form form = RL_BY_HASH;
	rl_connection *connection;

	*exchange = (rl_exchange) {.outcome = RL_UNSENT};
	connection = rl_call_take(call, call->end, exchange);
	if (connection == NULL) {
		return;
	}
	for (;;) {
		uint64_t mark;
		waited how;

		exchange->sent_at = call->send_moment != 0 ? call->send_moment : now(call);
		call->send_moment = 0;
		mark = transport->send(connection, command, form, exchange->sent_at);
		if (mark == 0) {
			rl_error_set(call->error, RL_SYSTEM, "out of memory");
			transport->drop(call->runtime->connections, connection);
			return;
		}
		how = wait_for(call, connection, &exchange->reply, exchange->sent_at,
			rl_clock_earlier(exchange->sent_at + call->client->timeout_us, call->end));
		if (how == WAITED_FORKED || (how != WAITED_READY && !transport->has_sent(connection, mark))) {
			end_unsent(call, connection, exchange, how);
			return;
		}
		if (how != WAITED_READY) {
			end_unanswered(call, connection, exchange, how);
			return;
		}
		if (exchange->reply->type != RL_REPLY_ERROR) {
			break;
		}
		if (form == RL_BY_HASH && command->script != NULL
				&& rl_slice_begins_with(rl_reply_text(exchange->reply, &exchange->reply->root), "NOSCRIPT")) {
			form = RL_BY_TEXT;
			continue;
		}
		end_with_error_reply(call, connection, exchange);
		return;
	}
	exchange->answered_at = now(call);
	rl_stats_observe(call->runtime->stats, RL_STATS_OTHER, RL_HISTOGRAM_ROUND_TRIP,
		exchange->answered_at - exchange->sent_at);
	exchange->outcome = RL_ANSWERED;
	exchange->connection = connection;
	call->fresh = false;
	call->failing_since = 0;
	call->pause_us = 0;
}

bool rl_call_await(rl_call *call, rl_exchange *exchange)
{
	int64_t until = rl_clock_earlier(exchange->sent_at + call->client->timeout_us, call->end);

	call->interruptible = false;
	return exchange->connection != NULL
		&& wait_for(call, exchange->connection, &exchange->reply, now(call), until) == WAITED_READY;
}

void rl_call_finish(rl_call *call, rl_exchange *exchange)
{
	call->runtime->transport->give(call->runtime->connections, exchange->connection);
	exchange->connection = NULL;
}

rl_status rl_call_reject(rl_call *call, rl_exchange *exchange)
{
	call->runtime->transport->drop(call->runtime->connections, exchange->connection);
	exchange->connection = NULL;
	exchange->maybe_run = true;
	return rl_error_set(call->error, RL_SERVER, "%s: the answer is not one that the script of redislock gives",
		call->client->endpoint->display);
}

int64_t rl_call_backoff(rl_call *call)
{
	/* Decorrelated jitter: between the least and three times the last one. */
	int64_t span = call->pause_us == 0 ? 2 * LEAST_PAUSE_US : 3 * call->pause_us - LEAST_PAUSE_US;
	uint32_t dice = 0;

	call->runtime->random(call->runtime->context, &dice, sizeof(dice));
	call->pause_us = rl_clock_earlier(MOST_PAUSE_US, LEAST_PAUSE_US + (int64_t) (dice % (uint32_t) (span + 1)));
	return now(call) + call->pause_us;
}

bool rl_call_sleep(rl_call *call, int64_t until)
{
	for (;;) {
		int64_t moment = now(call);
		int64_t slice = rl_clock_earlier(until, moment + SLICE_US);
		bool signal;

		if (moment >= until) {
			return true;
		}
		signal = !call->runtime->transport->wait(NULL, 0, moment, slice);
		if ((signal || slice < until) && rl_call_interrupt(call)) {
			return false;
		}
	}
}

/* A pause, longer from failure to failure, but not beyond that moment. False: the interrupt hook said to stop. */
static bool pause_before_retry(rl_call *call, int64_t until)
{
	return rl_call_sleep(call, rl_clock_earlier(until, rl_call_backoff(call)));
}

bool rl_call_retry(rl_call *call, rl_status *status)
{
	int64_t retry_until = rl_clock_earlier(call->wait_until, call->failing_since + call->client->retry_for_us);
	int64_t moment = now(call);

	*status = call->error->status;
	if (call->failing_since == 0 || call->error->status == RL_SYSTEM
			|| (call->error->status == RL_SERVER && !rl_error_is_transient(call->error))) {
		return false;
	}
	if (call->reused && !call->reconnected) {
		/* The connection was as old as an earlier call: this says nothing yet about the server that is there now. */
		call->reconnected = true;
		return moment < call->end;
	}
	if (moment >= retry_until) {
		return false;
	}
	if (!pause_before_retry(call, retry_until)) {
		*status = RL_INTERRUPTED;
		return false;
	}
	return true;
}

bool rl_call_repeat(rl_call *call, int *repeats)
{
	int64_t until = call->end;

	/* One repeat always; more only as failures are retried. */
	if (*repeats > 0) {
		until = rl_clock_earlier(call->wait_until, call->failing_since + call->client->retry_for_us);
		if (now(call) >= until) {
			return false;
		}
		if (!pause_before_retry(call, until)) {
			return false;
		}
		until = call->end;
	}
	if (now(call) >= until) {
		return false;
	}
	(*repeats)++;
	rl_stats_count_wire(call->runtime->stats, RL_COUNT_REPEATS);
	return true;
}
