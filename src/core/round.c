#include "rl_round.h"

#include "rl_clock.h"

#include <stdio.h>
#include <string.h>

enum {
	SLICE_US = 100 * RL_US_PER_MS,
	/* How long a node that failed is left alone: at first, and at most. */
	LEAST_BACKOFF_US = 20 * RL_US_PER_MS,
	MOST_BACKOFF_US = 2000 * RL_US_PER_MS,
	/* The most commands that a node may owe answers to and still be asked; and be told of a release of what it was. */
	MAX_BEHIND = 32,
	MAX_BEHIND_RELEASE = 3 * MAX_BEHIND
};

static int64_t now(const rl_round *round)
{
	return rl_runtime_now(round->call->runtime);
}

static const rl_transport *transport(const rl_round *round)
{
	return round->call->runtime->transport;
}

void rl_round_init(rl_round *round, rl_call *call)
{
	memset(round, 0, sizeof(*round));
	round->call = call;
	round->client = call->client;
	round->nodes = call->client->nodes;
	round->count = call->client->node_count;
	round->majority = round->count / 2 + 1;
}

int rl_round_votes(const rl_round *round, rl_verdict verdict)
{
	int votes = 0;

	for (int i = 0; i < round->count; i++) {
		votes += round->votes[i].verdict == verdict;
	}
	return votes;
}

int64_t rl_round_left(const rl_round *round)
{
	int64_t best[RL_QUORUM_MAX_NODES];
	int count = 0;

	for (int i = 0; i < round->count; i++) {
		int at = count;

		if (round->votes[i].verdict != RL_VOTE_YES) {
			continue;
		}
		/* The longest first. */
		while (at > 0 && best[at - 1] < round->votes[i].left_ms) {
			best[at] = best[at - 1];
			at--;
		}
		best[at] = round->votes[i].left_ms;
		count++;
	}
	return count >= round->majority ? best[round->majority - 1] : 0;
}

/* The node is left alone for a while, longer each time. */
static void back_off(rl_round *round, int i)
{
	rl_node *node = &round->nodes[i];

	node->backoff_us = node->backoff_us == 0 ? LEAST_BACKOFF_US : 2 * node->backoff_us;
	if (node->backoff_us > MOST_BACKOFF_US) {
		node->backoff_us = MOST_BACKOFF_US;
	}
	node->down_until = now(round) + node->backoff_us;
	rl_stats_count_wire(round->call->runtime->stats, RL_COUNT_NODE_FAILURES);
}

/* The node's connection is of no use. Its error is set. */
static void lose(rl_round *round, int i)
{
	rl_vote *vote = &round->votes[i];

	if (vote->connection != NULL) {
		transport(round)->drop(round->call->runtime->connections, vote->connection);
		vote->connection = NULL;
	}
	vote->state = RL_VOTE_OUT;
	vote->verdict = RL_VOTE_NONE;
	round->nodes[i].owes = false;
	back_off(round, i);
}

void rl_round_reject(rl_round *round, int i, const char *why)
{
	rl_error_set(&round->nodes[i].error, RL_SERVER, "%s: %s", round->nodes[i].endpoint->display, why);
	lose(round, i);
}

void rl_round_sits_out(rl_round *round, int i, int64_t left_ms)
{
	rl_error *error = &round->nodes[i].error;

	rl_error_set(error, RL_SERVER, "%s: is new or lost its memory, sits out for %lld s; for a new deployment call "
		"initializeQuorum()", round->nodes[i].endpoint->display, (long long) ((left_ms + 999) / 1000));
	memcpy(error->code, "SITSOUT", sizeof("SITSOUT"));
	round->votes[i].verdict = RL_VOTE_NONE;
}

/* Which bit of rl_connection_known_scripts() is for the script of a command. */
static unsigned script_bit(const rl_command *command)
{
	return command->script == NULL ? 0 : 1u << (command->script - rl_script_get(0));
}

/*
 * The first time on a connection a script goes with its text. By its hash it may be unknown, and if the outcome is
 * certain before a slow node says so, nobody would send it again: a release would be lost.
 */
static void send(rl_round *round, int i)
{
	rl_vote *vote = &round->votes[i];
	unsigned *known = transport(round)->known_scripts(vote->connection);
	rl_command command;

	round->build(round, i, vote->question, &command);
	vote->state = RL_VOTE_ASKED;
	vote->script = script_bit(&command);
	vote->form = (*known & vote->script) != 0 ? RL_BY_HASH : RL_BY_TEXT;
	*known |= vote->script;
	vote->sent_at = now(round);
	/* What else goes wrong here shows in the next receive. */
	if (transport(round)->send(vote->connection, &command, vote->form, vote->sent_at) == 0) {
		rl_error_set(&round->nodes[i].error, RL_SYSTEM, "out of memory");
		lose(round, i);
	}
}

void rl_round_ask(rl_round *round, int i, rl_question question)
{
	rl_vote *vote = &round->votes[i];

	vote->question = question;
	vote->asked = true;
	send(round, i);
}

static void identify(rl_round *round, int i)
{
	rl_command command;

	rl_command_init_plain(&command, "INFO");
	rl_command_add(&command, rl_slice_text("server"));
	round->votes[i].state = RL_VOTE_IDENTIFYING;
	if (transport(round)->send(round->votes[i].connection, &command, RL_BY_TEXT, now(round)) == 0) {
		rl_error_set(&round->nodes[i].error, RL_SYSTEM, "out of memory");
		lose(round, i);
	}
}

/* The connection is logged in. */
static void begin(rl_round *round, int i)
{
	if (round->identify && transport(round)->run_id(round->votes[i].connection)[0] == '\0') {
		identify(round, i);
	} else {
		rl_round_ask(round, i, RL_ASK_FIRST);
	}
}

/* An error reply. */
static void handle_error(rl_round *round, int i, const rl_reply *reply)
{
	rl_vote *vote = &round->votes[i];
	rl_error *error = &round->nodes[i].error;
	rl_slice text = rl_reply_text(reply, &reply->root);

	if (vote->state == RL_VOTE_ASKED) {
		bool again = vote->form == RL_BY_HASH && rl_slice_begins_with(text, "NOSCRIPT");

		/* Somebody had the server forget its scripts, or it did not get as far as reading this one. */
		*transport(round)->known_scripts(vote->connection) = 0;
		if (again) {
			send(round, i);
			return;
		}
	}
	rl_error_set_reply(error, round->nodes[i].endpoint->display, text.data, text.length);
	vote->verdict = RL_VOTE_NONE;
	vote->state = RL_VOTE_IDLE;
	if (rl_error_is_transient(error)) {
		lose(round, i);
	}
}

/* Goes on with one node. */
static void advance(rl_round *round, int i)
{
	rl_vote *vote = &round->votes[i];
	const rl_reply *reply;

	switch (transport(round)->receive(vote->connection, &reply)) {
		case RL_FAILED:
			round->nodes[i].error = *transport(round)->error(vote->connection);
			if (vote->asked && round->nodes[i].error.status == RL_CONNECTION) {
				round->nodes[i].error.status = RL_UNCERTAIN;
			}
			lose(round, i);
			return;
		case RL_PENDING:
			if (vote->state == RL_VOTE_CONNECTING && transport(round)->is_ready(vote->connection)) {
				begin(round, i);
			}
			return;
		case RL_READY:
			break;
	}
	if (reply->type == RL_REPLY_ERROR) {
		handle_error(round, i, reply);
	} else if (vote->state == RL_VOTE_IDENTIFYING) {
		if (reply->type == RL_REPLY_STRING
				&& rl_run_id_read(rl_reply_text(reply, &reply->root), transport(round)->run_id(vote->connection))) {
			rl_round_ask(round, i, RL_ASK_FIRST);
		} else {
			rl_round_reject(round, i, "INFO server names no run_id");
		}
	} else {
		rl_stats_observe(round->call->runtime->stats, RL_STATS_OTHER, RL_HISTOGRAM_ROUND_TRIP, now(round) - vote->sent_at);
		vote->state = RL_VOTE_IDLE;
		round->nodes[i].error.status = RL_OK;
		round->nodes[i].owes = false;
		round->nodes[i].backoff_us = 0;
		round->nodes[i].down_until = 0;
		round->answer(round, i, reply);
	}
}

/* A connection on which replies are overdue belongs to a node that hangs. */
static bool is_overdue(rl_round *round, rl_connection *connection)
{
	int64_t owing = transport(round)->owing_since(connection);

	if (transport(round)->is_ready(connection)) {
		return owing != 0 && now(round) - owing > round->client->timeout_us;
	}
	return now(round) - transport(round)->opened_at(connection) > round->client->connect_timeout_us;
}

/* Gets a connection to a node, and asks at once if it is ready. */
static void open(rl_round *round, int i)
{
	const rl_runtime *runtime = round->call->runtime;
	rl_node *node = &round->nodes[i];
	rl_vote *vote = &round->votes[i];
	rl_connection *connection = runtime->transport->take(runtime->connections, node->endpoint, false);

	vote->verdict = RL_VOTE_PENDING;
	if (connection != NULL && is_overdue(round, connection)) {
		bool connected = runtime->transport->is_ready(connection);

		rl_error_set(&node->error, RL_CONNECTION, connected ? "%s: no answer within %.3f s" : "%s: no connection within %.3f s",
			node->endpoint->display,
			(double) (connected ? round->client->timeout_us : round->client->connect_timeout_us) / RL_US_PER_S);
		if (connected) {
			/* What was written on it may still be delivered, the releases included. */
			if (round->undoes) {
				rl_command command;

				vote->connection = connection;
				round->build(round, i, RL_ASK_FIRST, &command);
				vote->twice = true;
				runtime->transport->send(connection, &command, RL_BY_TEXT, now(round));
			}
			runtime->transport->park(runtime->connections, connection);
			node->owes = false;
		} else {
			runtime->transport->drop(runtime->connections, connection);
		}
		connection = runtime->transport->take(runtime->connections, node->endpoint, true);
		back_off(round, i);
	} else if (connection != NULL && runtime->transport->outstanding(connection)
			>= (round->undoes ? MAX_BEHIND_RELEASE : MAX_BEHIND)) {
		/* It hangs, or is very slow: no use to give it more. */
		rl_error_set(&node->error, RL_CONNECTION, "%s: has not answered the last %d commands yet", node->endpoint->display,
			runtime->transport->outstanding(connection));
		runtime->transport->give(runtime->connections, connection);
		vote->state = RL_VOTE_OUT;
		vote->verdict = RL_VOTE_NONE;
		back_off(round, i);
		return;
	}
	vote->connection = connection;
	if (connection == NULL) {
		rl_error_set(&node->error, RL_SYSTEM, "out of memory");
		lose(round, i);
		return;
	}
	vote->state = RL_VOTE_CONNECTING;
	if (runtime->transport->is_ready(connection)) {
		begin(round, i);
	}
}

static void open_all(rl_round *round)
{
	int64_t moment = now(round);
	int up = 0;

	for (int i = 0; i < round->count; i++) {
		up += round->nodes[i].down_until <= moment || round->nodes[i].owes;
	}
	for (int i = 0; i < round->count; i++) {
		/* One that owes an answer may have the lock for us, and would keep it if it were not told of the release. */
		if (round->nodes[i].down_until <= moment || round->nodes[i].owes || up < round->majority || round->ask_all) {
			round->nodes[i].error.status = RL_OK;
			open(round, i);
		} else {
			/* Its error is still the one it failed with. */
			round->votes[i].verdict = RL_VOTE_NONE;
			round->votes[i].state = RL_VOTE_OUT;
		}
	}
}

static bool is_waited_for(const rl_vote *vote)
{
	return vote->state == RL_VOTE_CONNECTING || vote->state == RL_VOTE_IDENTIFYING || vote->state == RL_VOTE_ASKED;
}

/* The time is over: who has not answered until now counts as not answered. */
static void give_up(rl_round *round)
{
	for (int i = 0; i < round->count; i++) {
		rl_vote *vote = &round->votes[i];

		if (is_waited_for(vote)) {
			rl_error_set(&round->nodes[i].error, vote->asked ? RL_UNCERTAIN : RL_CONNECTION, "%s: %s",
				round->nodes[i].endpoint->display, vote->asked ? "no answer in time" : "no connection in time");
			vote->verdict = RL_VOTE_NONE;
			back_off(round, i);
		}
	}
}

/* We are a forked child: the connections are our parent's, and only our copies of them are closed. */
static void forget(rl_round *round)
{
	for (int i = 0; i < round->count; i++) {
		rl_error_set(&round->nodes[i].error, RL_CONNECTION, "%s: the process was forked during the call",
			round->nodes[i].endpoint->display);
		lose(round, i);
		round->nodes[i].down_until = 0;
	}
}

rl_status rl_round_run(rl_round *round)
{
	const rl_runtime *runtime = round->call->runtime;

	open_all(round);
	while (!round->decided(round)) {
		rl_connection *waiting[RL_QUORUM_MAX_NODES];
		int64_t moment = now(round);
		int64_t slice = rl_clock_earlier(round->until, moment + SLICE_US);
		int count = 0;
		bool signal;

		for (int i = 0; i < round->count; i++) {
			if (is_waited_for(&round->votes[i])) {
				waiting[count++] = round->votes[i].connection;
			}
		}
		if (count == 0) {
			break;
		}
		signal = !runtime->transport->wait(waiting, count, moment, slice);
		for (int i = 0; i < round->count; i++) {
			if (is_waited_for(&round->votes[i])) {
				advance(round, i);
			}
		}
		moment = now(round);
		if (signal || moment >= slice) {
			int process = round->call->process;
			bool stop = rl_call_interrupt(round->call);

			if (round->call->process != process) {
				forget(round);
			}
			if (stop) {
				return RL_INTERRUPTED;
			}
		}
		if (moment >= round->until) {
			if (!round->decided(round)) {
				give_up(round);
			}
			break;
		}
	}
	return RL_OK;
}

void rl_round_end(rl_round *round, bool (*last)(rl_round *round, int i, rl_command *command))
{
	const rl_runtime *runtime = round->call->runtime;

	for (int i = 0; i < round->count; i++) {
		rl_vote *vote = &round->votes[i];
		rl_command command;

		if (vote->connection == NULL) {
			continue;
		}
		round->nodes[i].owes = vote->state == RL_VOTE_ASKED;
		if (vote->asked && last != NULL && last(round, i, &command)) {
			runtime->transport->send(vote->connection, &command, RL_BY_TEXT, now(round));
		}
		runtime->transport->disown_replies(vote->connection);
		runtime->transport->give(runtime->connections, vote->connection);
		vote->connection = NULL;
	}
}

rl_status rl_round_fail(rl_round *round)
{
	int missing = rl_round_votes(round, RL_VOTE_NONE) + rl_round_votes(round, RL_VOTE_PENDING);
	const char *example = "";

	for (int i = 0; i < round->count; i++) {
		if (round->votes[i].verdict == RL_VOTE_PENDING) {
			/* The outcome was certain before: said for who reads the errors of all nodes. */
			rl_error_set(&round->nodes[i].error, round->votes[i].asked ? RL_UNCERTAIN : RL_CONNECTION,
				"%s: had not answered yet when there could be no majority any more", round->nodes[i].endpoint->display);
		}
	}
	for (int i = 0; i < round->count; i++) {
		if (round->nodes[i].error.status != RL_OK) {
			example = round->nodes[i].error.message;
			break;
		}
	}
	return rl_error_set(round->call->error, RL_QUORUM, "%d of %d nodes gave no usable answer, so there is no majority: %s",
		missing, round->count, example);
}
