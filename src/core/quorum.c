/* Everything on a quorum but taking a lock: one question to all nodes, and a majority of answers. */
#include "rl_quorum.h"

#include "rl_clock.h"
#include "rl_operation.h"
#include "rl_round.h"

#include <string.h>

/* One question. */
typedef struct question {
	rl_script_id script;
	const rl_keys *keys;
	rl_slice token;
	rl_slice node_key;
	int64_t fence;
	int64_t lease_ms;
	const char *mode;                  /* of quorum_node: "check" or "serve" */
	bool refuse_yes;                   /* a node that says yes is what is wrong */
	bool all;                          /* every node must answer */
	rl_inspection *inspections;        /* of inspect, one per node */
} question;

bool rl_quorum_node_key(const rl_client *client, rl_buffer *key)
{
	static const char end[] = "}:redislock:node";

	return rl_buffer_append(key, "{", 1) && rl_buffer_append(key, client->prefix.data, client->prefix.length)
		&& rl_buffer_append(key, end, sizeof(end) - 1);
}

static void build(rl_round *round, int i, rl_question which, rl_command *command)
{
	const question *question = round->operation;
	int64_t sit_out = round->client->quorum_max_ttl_ms + RL_QUORUM_SIT_OUT_MARGIN_MS;
	char *run_id = round->call->runtime->transport->run_id(round->votes[i].connection);

	(void) which;
	if (question->script == RL_SCRIPT_RELEASE) {
		rl_operation_release_quorum(command, question->keys, question->token, question->fence);
		return;
	}
	if (question->script == RL_SCRIPT_RENEW) {
		rl_operation_renew(command, question->keys, question->token, question->lease_ms);
		return;
	}
	rl_command_init_script(command, question->script);
	if (question->keys != NULL) {
		rl_command_add_key(command, question->keys->lock);
		rl_command_add_key(command, question->keys->fence);
		rl_command_add_key(command, question->keys->wait);
	}
	if (question->script == RL_SCRIPT_FORCE_RELEASE) {
		rl_command_add_key(command, question->keys->wake);
		return;
	}
	rl_command_add_key(command, question->node_key);
	rl_command_add(command, rl_slice_text(run_id));
	rl_command_add_number(command, sit_out);
	if (question->mode != NULL) {
		rl_command_add(command, rl_slice_text(question->mode));
	}
}

static void read_inspection(rl_round *round, int i, const rl_reply *reply)
{
	question *question = round->operation;
	rl_inspection *inspection = &question->inspections[i];
	int64_t sits_out;
	rl_slice token;

	if (!rl_inspection_read(inspection, reply) || !rl_reply_number(reply, 5, 0, INT64_MAX, &sits_out)) {
		rl_round_reject(round, i, "the answer is not one that the script of redislock gives");
		return;
	}
	token = rl_reply_text(reply, &reply->elements[1]);
	if (!rl_buffer_append(&inspection->token, token.data, token.length)) {
		rl_round_reject(round, i, "out of memory");
		return;
	}
	round->votes[i].verdict = RL_VOTE_YES;
	if (sits_out > 0) {
		rl_round_sits_out(round, i, sits_out);
	}
}

static void answer(rl_round *round, int i, const rl_reply *reply)
{
	const question *question = round->operation;
	int64_t verdict;

	if (question->script == RL_SCRIPT_INSPECT) {
		read_inspection(round, i, reply);
		return;
	}
	if (!rl_operation_read_verdict(reply, question->script, &verdict)
			|| (question->script == RL_SCRIPT_RENEW && verdict == 1
				&& !rl_reply_number(reply, 1, 0, INT64_MAX / 2000, &round->votes[i].left_ms))) {
		rl_round_reject(round, i, "the answer is not one that the script of redislock gives");
		return;
	}
	if (verdict == 0 && round->votes[i].twice) {
		rl_error_set(&round->nodes[i].error, RL_UNCERTAIN, "%s: had to be told twice, and whether the first one gave the "
			"lock back is unknown", round->nodes[i].endpoint->display);
		round->votes[i].verdict = RL_VOTE_NONE;
		return;
	}
	round->votes[i].verdict = verdict == 1 ? RL_VOTE_YES : RL_VOTE_NO;
	if (question->refuse_yes && verdict == 1) {
		rl_error_set(&round->nodes[i].error, RL_SERVER, "%s: is in service already", round->nodes[i].endpoint->display);
		memcpy(round->nodes[i].error.code, "INSERVICE", sizeof("INSERVICE"));
	}
}

static bool decided(rl_round *round)
{
	const question *question = round->operation;
	int yes = rl_round_votes(round, RL_VOTE_YES);
	int no = rl_round_votes(round, RL_VOTE_NO);
	int pending = rl_round_votes(round, RL_VOTE_PENDING);

	if (pending == 0) {
		return true;
	}
	if (question->all) {
		return false;
	}
	/*
	 * Yes by a majority; no, because not even those that did not answer could make one; or neither can come any more.
	 */
	return yes >= round->majority || no > round->count - round->majority
		|| (yes + pending < round->majority && no + pending <= round->count - round->majority);
}

/* Asks. RL_OK, RL_NO, or RL_QUORUM; *left_ms is what a majority is left with. */
static rl_status ask(rl_call *call, question *question, int64_t *left_ms)
{
	int64_t until = call->started + call->client->timeout_us;
	rl_status status;
	rl_round round;

	rl_round_init(&round, call);
	round.identify = question->script == RL_SCRIPT_INSPECT || question->script == RL_SCRIPT_QUORUM_NODE;
	round.ask_all = question->all;
	round.undoes = question->script == RL_SCRIPT_RELEASE;
	round.operation = question;
	round.build = build;
	round.answer = answer;
	round.decided = decided;
	round.until = until < call->end ? until : call->end;
	status = rl_round_run(&round);
	if (status == RL_OK) {
		int yes = rl_round_votes(&round, RL_VOTE_YES);
		int no = rl_round_votes(&round, RL_VOTE_NO);
		int needed = question->mode != NULL ? round.count : round.majority;

		*left_ms = rl_round_left(&round);
		if (question->script == RL_SCRIPT_FORCE_RELEASE && yes + no >= needed) {
			status = yes > 0 ? RL_OK : RL_NO;
		} else {
			bool cannot = question->mode != NULL ? no >= needed : no > round.count - round.majority;

			status = yes >= needed ? RL_OK : cannot ? RL_NO : rl_round_fail(&round);
		}
	}
	rl_round_end(&round, NULL);
	return status;
}

rl_status rl_quorum_renew(rl_call *call, const rl_keys *keys, rl_slice token, int64_t lease_ms, int64_t *valid_until)
{
	question question = {.script = RL_SCRIPT_RENEW, .keys = keys, .token = token, .lease_ms = lease_ms};
	int64_t left_ms = 0;
	rl_status status = ask(call, &question, &left_ms);

	*valid_until = rl_lease_end(call->started, left_ms);
	return status;
}

rl_status rl_quorum_release(rl_call *call, const rl_keys *keys, rl_slice token, int64_t fence)
{
	question question = {.script = RL_SCRIPT_RELEASE, .keys = keys, .token = token, .fence = fence};
	int64_t left_ms;

	return ask(call, &question, &left_ms);
}

rl_status rl_quorum_force_release(const rl_client *client, const rl_keys *keys, rl_error *error)
{
	question question = {.script = RL_SCRIPT_FORCE_RELEASE, .keys = keys, .all = true};
	int64_t left_ms;
	rl_call call;

	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
	return ask(&call, &question, &left_ms);
}

/* Which of the holders that the nodes named a majority named; -1: none. */
static int find_holder(const question *question, const rl_round *round)
{
	for (int i = 0; i < round->count; i++) {
		const rl_inspection *holder = &question->inspections[i];
		int same = 0;

		for (int j = 0; j < round->count; j++) {
			const rl_inspection *other = &question->inspections[j];

			same += holder->held && other->held && round->votes[j].verdict == RL_VOTE_YES
				&& rl_slice_equal(rl_slice_make(holder->token.data, holder->token.length),
					rl_slice_make(other->token.data, other->token.length));
		}
		if (same >= round->majority) {
			return i;
		}
	}
	return -1;
}

/* What a majority says. */
static void summarize(question *question, rl_round *round, rl_inspection *inspection)
{
	int holder = find_holder(question, round);

	for (int i = 0; i < round->count; i++) {
		rl_inspection *each = &question->inspections[i];
		bool same = holder >= 0 && each->held
			&& rl_slice_equal(rl_slice_make(each->token.data, each->token.length),
				rl_slice_make(question->inspections[holder].token.data, question->inspections[holder].token.length));

		if (each->fence > inspection->fence && round->votes[i].verdict == RL_VOTE_YES) {
			inspection->fence = each->fence;
		}
		if (round->votes[i].verdict == RL_VOTE_YES && !same) {
			round->votes[i].verdict = RL_VOTE_NO;
		}
		/* No time to live is the longest. */
		round->votes[i].left_ms = each->remaining_ms < 0 ? INT64_MAX : each->remaining_ms;
	}
	if (holder >= 0) {
		int64_t left_ms = rl_round_left(round);

		inspection->held = true;
		inspection->remaining_ms = left_ms == INT64_MAX ? -1 : left_ms;
		inspection->token = question->inspections[holder].token;
		question->inspections[holder].token = (rl_buffer) {0};
	}
}

static bool all_answered(rl_round *round)
{
	return rl_round_votes(round, RL_VOTE_PENDING) == 0;
}

rl_status rl_quorum_inspect(const rl_client *client, const rl_keys *keys, rl_inspection *inspection, rl_error *error)
{
	rl_inspection inspections[RL_QUORUM_MAX_NODES] = {0};
	question question = {.script = RL_SCRIPT_INSPECT, .keys = keys, .inspections = inspections};
	rl_buffer node_key = {0};
	rl_status status;
	rl_round round;
	rl_call call;

	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
	if (!rl_quorum_node_key(client, &node_key)) {
		return rl_error_set(error, RL_SYSTEM, "out of memory");
	}
	question.node_key = rl_slice_make(node_key.data, node_key.length);
	rl_round_init(&round, &call);
	round.identify = true;
	round.ask_all = true;
	round.operation = &question;
	round.build = build;
	round.answer = answer;
	/* Who asks wants to know of every node that can be asked. */
	round.decided = all_answered;
	round.until = call.started + client->timeout_us;
	status = rl_round_run(&round);
	if (status == RL_OK && rl_round_votes(&round, RL_VOTE_YES) < round.majority) {
		status = rl_round_fail(&round);
	}
	if (status == RL_OK) {
		summarize(&question, &round, inspection);
	}
	rl_round_end(&round, NULL);
	for (int i = 0; i < round.count; i++) {
		rl_buffer_free(&inspections[i].token);
	}
	rl_buffer_free(&node_key);
	return status;
}

rl_status rl_quorum_initialize(const rl_client *client, rl_error *error)
{
	question question = {.script = RL_SCRIPT_QUORUM_NODE, .mode = "check", .refuse_yes = true, .all = true};
	rl_buffer node_key = {0};
	int64_t left_ms;
	rl_status status;
	rl_call call;

	rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
	if (!rl_quorum_node_key(client, &node_key)) {
		return rl_error_set(error, RL_SYSTEM, "out of memory");
	}
	question.node_key = rl_slice_make(node_key.data, node_key.length);
	status = ask(&call, &question, &left_ms);
	if (status == RL_NO) {
		/* None of them is in service. */
		question.mode = "serve";
		question.refuse_yes = false;
		rl_call_begin(&call, client, rl_runtime_now(client->runtime), 0, error);
		status = ask(&call, &question, &left_ms);
	} else if (status == RL_OK) {
		status = rl_error_set(error, RL_QUORUM, "the nodes are in service already: initializeQuorum() is for a new quorum");
	} else if (status == RL_QUORUM) {
		rl_error cause = *error;

		rl_error_set(error, RL_QUORUM, "initializeQuorum() needs all nodes, and none of them in service: %s", cause.message);
	}
	rl_buffer_free(&node_key);
	return status;
}
