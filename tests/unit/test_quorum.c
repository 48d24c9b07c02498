/* Locks on a quorum: what the nodes are asked, when it is decided, and what a failed attempt leaves behind. */
#include "fixture.h"

#include "rl_quorum.h"

enum { NODES = 5, ANY = -1, INFO = -2 };

/* What the network or a node does to some commands. */
typedef struct rule {
	int server;             /* ANY: all of them */
	int script;             /* an rl_script_id, ANY, or INFO */
	world_plan plan;
} rule;

static rule rules[16];
static int rule_count;
static bool refuses[NODES];     /* connects to that node are refused */
static bool hangs[NODES];       /* or never end */

static void plan_send(struct world *world, const world_sent *command, world_plan *plan)
{
	(void) world;
	for (int i = 0; i < rule_count; i++) {
		bool is_info = command->command.script == NULL;

		if ((rules[i].server == ANY || rules[i].server == command->server)
				&& (rules[i].script == ANY || (rules[i].script == INFO ? is_info
					: !is_info && world_is(command, (rl_script_id) rules[i].script)))) {
			*plan = rules[i].plan;
			return;
		}
	}
}

static void plan_connect(struct world *world, int server, world_connect_plan *plan)
{
	(void) world;
	plan->fate = refuses[server] ? WORLD_REFUSED : hangs[server] ? WORLD_HANGING : WORLD_CONNECTED;
}

static void rule_for(int server, int script, world_plan plan)
{
	assert_true(rule_count < COUNT(rules));
	rules[rule_count++] = (rule) {server, script, plan};
}

static void no_rules(void)
{
	rule_count = 0;
	memset(refuses, 0, sizeof(refuses));
	memset(hangs, 0, sizeof(hangs));
}

static int begin_new_quorum(void **state)
{
	fixture *f;

	begin(state);
	f = *state;
	no_rules();
	world_make_quorum(&f->world, NODES);
	f->world.plan = plan_send;
	f->world.plan_connect = plan_connect;
	return 0;
}

/* A quorum that is in service, and whose nodes are connected and known. */
static int begin_quorum(void **state)
{
	fixture *f;

	begin_new_quorum(state);
	f = *state;
	if (rl_quorum_initialize(&f->world.client, &f->error) != RL_OK) {
		return -1;
	}
	return 0;
}

static model_key *key_at(fixture *f, int server)
{
	return model_find(world_server(&f->world, server), f->lock.keys.lock);
}

static bool holds_at(fixture *f, int server, rl_slice token)
{
	return model_holds(world_server(&f->world, server), f->lock.keys.lock, token);
}

static rl_slice token_of(const fixture *f)
{
	return rl_slice_make(f->lock.token, f->lock.token_length);
}

static int count_holding(fixture *f, rl_slice token)
{
	int count = 0;

	for (int i = 0; i < NODES; i++) {
		count += holds_at(f, i, token);
	}
	return count;
}

static int count_held(fixture *f)
{
	int count = 0;

	for (int i = 0; i < NODES; i++) {
		count += key_at(f, i)->holder_length > 0;
	}
	return count;
}

static int count_fence(fixture *f, int64_t fence)
{
	int count = 0;

	for (int i = 0; i < NODES; i++) {
		count += key_at(f, i)->fence == fence;
	}
	return count;
}

static void hold_at(fixture *f, int server, const char *token)
{
	model_key *key = key_at(f, server);

	memcpy(key->holder, token, strlen(token));
	key->holder_length = strlen(token);
	key->expires = f->world.servers[server].time_us / 1000 + 30000;
}

static int count_sent(const fixture *f, int first, rl_script_id script)
{
	int count = 0;

	for (int i = first; i < f->world.sent_count; i++) {
		count += world_is(&f->world.sent[i], script);
	}
	return count;
}

/* ---------------------------------------------------------------------------------------------------- new quorums */

static void new_nodes_sit_out(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_QUORUM);
	assert_int_equal(f->error.status, RL_QUORUM);
	assert_contains(f->error.message, "5 of 5 nodes");
	assert_contains(f->error.message, "initializeQuorum()");
	for (int i = 0; i < NODES; i++) {
		assert_int_equal(f->world.nodes[i].error.status, RL_SERVER);
		assert_string_equal(f->world.nodes[i].error.code, "SITSOUT");
		assert_printable(&f->world.nodes[i].error);
	}
	assert_int_equal(count_held(f), 0);
	/* The longest lease and two minutes later they are in service. */
	world_pass(&f->world, 179 * S);
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	world_pass(&f->world, 2 * S);
	assert_int_equal(acquire(f, 0), RL_OK);
}

static void initializing_puts_all_nodes_into_service(void **state)
{
	fixture *f = *state;

	assert_int_equal(rl_quorum_initialize(&f->world.client, &f->error), RL_OK);
	assert_int_equal(acquire(f, 0), RL_OK);
	/* Only once: later it could end the sit-out of a node that lost its memory. */
	assert_int_equal(rl_quorum_initialize(&f->world.client, &f->error), RL_QUORUM);
	assert_contains(f->error.message, "in service");
}

static void initializing_after_an_early_attempt(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_QUORUM);
	assert_int_equal(rl_quorum_initialize(&f->world.client, &f->error), RL_OK);
	assert_int_equal(acquire(f, 0), RL_OK);
}

static void initializing_needs_every_node(void **state)
{
	fixture *f = *state;

	refuses[3] = true;
	assert_int_equal(rl_quorum_initialize(&f->world.client, &f->error), RL_QUORUM);
	assert_contains(f->error.message, "needs all nodes");
	assert_int_equal(f->world.nodes[3].error.status, RL_CONNECTION);
	no_rules();
	for (int i = 0; i < NODES; i++) {
		assert_true(f->world.servers[i].known_run_id[0] == '\0' || f->world.servers[i].sits_out_until > 0);
	}
	assert_int_equal(rl_quorum_initialize(&f->world.client, &f->error), RL_OK);
}

static void initializing_when_one_is_in_service_already(void **state)
{
	fixture *f = *state;

	memcpy(f->world.servers[2].known_run_id, f->world.servers[2].run_id, RL_RUN_ID_SIZE);
	assert_int_equal(rl_quorum_initialize(&f->world.client, &f->error), RL_QUORUM);
	assert_contains(f->world.nodes[2].error.message, "in service already");
	assert_int_equal(acquire(f, 0), RL_QUORUM);
}

/* A node that was restarted without its memory could grant what it has granted before. */
static void a_node_that_lost_its_memory_sits_out(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	for (int i = 0; i < 3; i++) {
		model_restart(&f->world.servers[i], false);
	}
	world_close_all(&f->world);
	rl_lock_forget(&f->lock);
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	assert_string_equal(f->world.nodes[0].error.code, "SITSOUT");
	for (int i = 0; i < NODES; i++) {
		assert_true(f->world.servers[i].keys[0].holder_length == 0 || i >= 3);
	}
}

static void a_node_that_was_restarted_with_its_memory_sits_out_as_well(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		model_restart(&f->world.servers[i], true);
	}
	world_close_all(&f->world);
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	world_pass(&f->world, 181 * S);
	assert_int_equal(acquire(f, 0), RL_OK);
}

static void the_run_id_is_asked_for_once_per_connection(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_int_equal(release(f), RL_OK);
	}
	for (int i = first; i < f->world.sent_count; i++) {
		assert_non_null(f->world.sent[i].command.script);
	}
}

static void a_server_that_names_no_run_id(void **state)
{
	static const char *const answers[] = {
		"$0\r\n\r\n", "+OK\r\n", ":1\r\n", "*0\r\n", "$8\r\nrun_id:x\r\n",
		"$48\r\nrun_id:zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\r\r\n", "-NOPERM no\r\n", "junk\r\n"
	};
	fixture *f = *state;

	for (int i = 0; i < COUNT(answers); i++) {
		world_close_idle(&f->world);
		no_rules();
		for (int node = 0; node < 3; node++) {
			rule_for(node, INFO, (world_plan) {.reply = answers[i]});
		}
		assert_int_equal(acquire(f, 0), RL_QUORUM);
		for (int node = 0; node < 3; node++) {
			assert_int_equal(f->world.nodes[node].error.status, RL_SERVER);
		}
		world_pass(&f->world, 10 * S);
		assert_int_equal(count_held(f), 0);
	}
}

/* -------------------------------------------------------------------------------------------------------- acquire */

static void all_nodes_are_asked_at_once(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;
	int64_t began = f->world.now;
	const model_command *command = NULL;

	rule_for(ANY, ANY, (world_plan) {.travel_us = 3 * MS, .answer_us = 4 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(f->world.now, began + 7 * MS);
	assert_int_equal(f->world.sent_count - first, NODES);
	for (int i = 0; i < NODES; i++) {
		command = &sent(f, first + i)->command;
		assert_true(world_is(sent(f, first + i), RL_SCRIPT_QUORUM_ACQUIRE));
		assert_int_equal(sent(f, first + i)->at, began);
		assert_int_equal(command->form, RL_BY_TEXT);
		assert_int_equal(command->key_count, 3);
		assert_slice_equal(command->keys[0], "redislock:job");
		assert_slice_equal(command->keys[1], "{redislock:job}:redislock:fence");
		assert_slice_equal(command->keys[2], "{redislock:}:redislock:node");
		/* One token, one proposal. */
		assert_true(rl_slice_equal(command->arguments[0], token_sent(f, first)));
		assert_true(rl_slice_equal(command->arguments[3], sent(f, first)->command.arguments[3]));
		assert_slice_equal(command->arguments[1], "30000");
		assert_slice_equal(command->arguments[2], "604800000");
		assert_slice_equal(command->arguments[4], f->world.servers[i].run_id);
		assert_slice_equal(command->arguments[5], "180000");
	}
	assert_true(is_held(f));
	assert_true(count_fence(f, f->lock.fence) >= 3);
	assert_true(count_holding(f, token_of(f)) >= 3);
	/* From before anything was sent. */
	assert_int_equal(f->lock.valid_until, began + 29698 * MS);
}

static void the_retention_is_ten_minutes_at_least(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;

	f->world.client.retention_ms = 1000;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_slice_equal(sent(f, first)->command.arguments[2], "600000");
}

static void it_is_decided_by_the_majority(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	rule_for(3, ANY, (world_plan) {.answer_us = 800 * MS});
	rule_for(4, ANY, (world_plan) {.fate = WORLD_SILENT});
	rule_for(ANY, ANY, (world_plan) {.answer_us = 5 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(f->world.now, began + 5 * MS);
	/* The slow answers are dropped when they come. */
	no_rules();
	world_pass(&f->world, 500 * MS);
	assert_int_equal(release(f), RL_OK);
	world_pass(&f->world, 1 * S);
	assert_int_equal(acquire(f, 0), RL_OK);
}

static void a_minority_may_be_gone(void **state)
{
	fixture *f = *state;

	world_close_idle(&f->world);
	refuses[0] = refuses[3] = true;
	for (int i = 0; i < 5; i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_int_equal(renew(f, 40000), RL_OK);
		assert_int_equal(release(f), RL_OK);
	}
}

static void without_a_majority_each_node_says_why(void **state)
{
	fixture *f = *state;

	world_close_idle(&f->world);
	refuses[0] = true;
	hangs[1] = true;
	rule_for(2, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.reply = "-OOM command not allowed\r\n"});
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	assert_contains(f->error.message, "3 of 5 nodes");
	assert_int_equal(f->world.nodes[0].error.status, RL_CONNECTION);
	assert_contains(f->world.nodes[0].error.message, "redis://node1:6379");
	assert_int_equal(f->world.nodes[1].error.status, RL_CONNECTION);
	assert_string_equal(f->world.nodes[2].error.code, "OOM");
	assert_false(is_held(f));
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), 0);
}

static void held_by_another_on_a_majority_is_no(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "another");
	}
	assert_int_equal(acquire(f, 0), RL_NO);
	assert_false(is_held(f));
	world_pass(&f->world, 1);
	/* What was granted elsewhere is given back, behind it. */
	assert_int_equal(count_held(f), 3);
	assert_int_equal(count_holding(f, rl_slice_text("another")), 3);
}

static void a_split_vote_is_no_and_leaves_nothing(void **state)
{
	fixture *f = *state;

	hold_at(f, 0, "one");
	hold_at(f, 1, "one");
	hold_at(f, 2, "two");
	assert_int_equal(acquire(f, 0), RL_NO);
	world_pass(&f->world, 1);
	assert_int_equal(count_held(f), 3);
}

static void a_failed_attempt_is_released_on_the_same_connections(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "another");
	}
	rule_for(ANY, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.travel_us = 20 * MS});
	rule_for(4, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.travel_us = 500 * MS});
	rules[1] = rules[0];
	rules[0] = (rule) {4, RL_SCRIPT_QUORUM_ACQUIRE, {.travel_us = 500 * MS}};
	assert_int_equal(acquire(f, 0), RL_NO);
	/* Granted by node 3; still open at node 4. */
	assert_int_equal(count_sent(f, first, RL_SCRIPT_RELEASE), 2);
	for (int i = first; i < f->world.sent_count; i++) {
		if (world_is(sent(f, i), RL_SCRIPT_RELEASE)) {
			assert_int_equal(sent(f, i)->connection, sent(f, first + sent(f, i)->server)->connection);
			assert_int_equal(sent(f, i)->command.form, RL_BY_TEXT);
		}
	}
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), 3);
}

static void a_retry_has_a_token_of_its_own(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;
	int64_t began = f->world.now;

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "another");
		key_at(f, i)->expires = f->world.servers[i].time_us / 1000 + 400;
	}
	assert_int_equal(acquire(f, 5000), RL_OK);
	assert_in_range(f->world.now - began, 400 * MS, 700 * MS);
	assert_false(rl_slice_equal(token_of(f), token_sent(f, first)));
	assert_true(count_holding(f, token_of(f)) >= 3);
	assert_int_equal(sent(f, f->world.sent_count - 1)->command.argument_count, 6);
}

static void a_wait_in_vain_ends_at_its_deadline(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;
	int first = f->world.sent_count;

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "another");
	}
	assert_int_equal(acquire(f, 2000), RL_NO);
	assert_int_equal(f->world.now, began + 2 * S);
	assert_true(count_sent(f, first, RL_SCRIPT_QUORUM_ACQUIRE) >= 5 * NODES);
	assert_true(count_sent(f, first, RL_SCRIPT_QUORUM_ACQUIRE) <= 200 * NODES);
}

static void failures_end_the_wait_after_retry_for(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_close_idle(&f->world);
	refuses[0] = refuses[1] = refuses[2] = true;
	f->world.client.retry_for_us = 1 * S;
	assert_int_equal(acquire(f, 60000), RL_QUORUM);
	assert_in_range(f->world.now - began, 700 * MS, 1300 * MS);
}

static void a_grant_after_the_end_of_its_lease_is_given_back(void **state)
{
	fixture *f = *state;

	f->lock.lease_ms = 50;
	rule_for(ANY, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.answer_us = 48 * MS});
	assert_int_equal(acquire(f, 0), RL_LOST);
	assert_int_equal(f->error.status, RL_LOST);
	assert_false(is_held(f));
	world_pass(&f->world, 1);
	assert_int_equal(count_held(f), 0);
}

/* ------------------------------------------------------------------------------------------------------- fences */

static void fences_grow(void **state)
{
	fixture *f = *state;
	int64_t last = 0;

	for (int i = 0; i < 20; i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_true(f->lock.fence > last);
		last = f->lock.fence;
		assert_int_equal(release(f), RL_OK);
		/* Whatever this machine's clock says. */
		f->world.wall_ahead_us += i % 2 == 0 ? -30 * S : 20 * S;
	}
}

static void a_larger_fence_is_raised_on_the_others(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;
	int64_t large;

	world_server(&f->world, 0);
	large = f->world.servers[0].time_us + INT64_C(3600) * S;
	key_at(f, 4)->fence = large;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(f->lock.fence == large + 1);
	assert_true(count_sent(f, first, RL_SCRIPT_RAISE) >= 2);
	assert_true(count_fence(f, f->lock.fence) >= 3);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(f->lock.fence == large + 2);
}

/* Only answers equal to the fence count; a larger one starts the raise again with that value. */
static void a_raise_that_meets_a_larger_fence_starts_again(void **state)
{
	fixture *f = *state;
	int64_t large;
	char answer[64];

	world_server(&f->world, 0);
	large = f->world.servers[0].time_us + INT64_C(3600) * S;
	key_at(f, 0)->fence = large;
	snprintf(answer, sizeof(answer), "*2\r\n:1\r\n$16\r\n%lld\r\n", (long long) large + 100);
	rule_for(1, RL_SCRIPT_RAISE, (world_plan) {.reply = answer});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(f->lock.fence == large + 100);
	assert_true(count_fence(f, large + 100) + 1 >= 3);
}

static void a_raise_that_a_majority_does_not_answer_is_no_acquisition(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_server(&f->world, 0);
	key_at(f, 0)->fence = f->world.servers[0].time_us + INT64_C(3600) * S;
	rule_for(ANY, RL_SCRIPT_RAISE, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	assert_false(is_held(f));
	assert_true(f->world.now - began <= 2 * S);
}

static void a_raise_on_a_node_that_is_not_ours_any_more(void **state)
{
	fixture *f = *state;

	world_server(&f->world, 0);
	key_at(f, 0)->fence = f->world.servers[0].time_us + INT64_C(3600) * S;
	rule_for(1, RL_SCRIPT_RAISE, (world_plan) {.reply = "*1\r\n:0\r\n"});
	rule_for(2, RL_SCRIPT_RAISE, (world_plan) {.reply = "*1\r\n:0\r\n"});
	rule_for(3, RL_SCRIPT_RAISE, (world_plan) {.reply = "*2\r\n:2\r\n:5000\r\n"});
	assert_int_not_equal(acquire(f, 0), RL_OK);
	assert_false(is_held(f));
}

/* The node granted the lock before it refused the raise: it has to be given back there as everywhere. */
static void a_raise_that_is_refused_leaves_nothing_locked(void **state)
{
	fixture *f = *state;

	world_server(&f->world, 0);
	key_at(f, 0)->fence = f->world.servers[0].time_us + INT64_C(3600) * S;
	rule_for(ANY, RL_SCRIPT_RAISE, (world_plan) {.reply = "-OOM command not allowed\r\n"});
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), 0);
}

static void a_mad_clock_does_not_use_up_the_numbers(void **state)
{
	fixture *f = *state;
	int64_t server;

	f->world.wall_ahead_us = INT64_C(1000000000) * S;
	assert_int_equal(acquire(f, 0), RL_OK);
	server = world_server(&f->world, 0)->time_us;
	assert_true(f->lock.fence <= server + 60 * S);
	assert_int_equal(release(f), RL_OK);
	f->world.wall_ahead_us = -INT64_C(1000000000) * S;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(f->lock.fence >= server - 60 * S);
}

/* ---------------------------------------------------------------------------------------------- release and renew */

static void release_is_one_round_trip(void **state)
{
	fixture *f = *state;
	int64_t began;
	int first;

	assert_int_equal(acquire(f, 0), RL_OK);
	rule_for(ANY, ANY, (world_plan) {.answer_us = 5 * MS});
	began = f->world.now;
	first = f->world.sent_count;
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(f->world.now, began + 5 * MS);
	assert_int_equal(f->world.sent_count - first, NODES);
	assert_int_equal(count_held(f), 0);
	assert_false(is_held(f));
	assert_int_equal(release(f), RL_NO);
}

static void release_of_what_a_majority_has_not_is_no(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "another");
	}
	assert_int_equal(release(f), RL_NO);
	assert_null(f->lock.token);
	assert_int_equal(count_holding(f, rl_slice_text("another")), 3);
}

static void release_without_a_majority_can_be_tried_again(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	for (int i = 0; i < 3; i++) {
		rule_for(i, RL_SCRIPT_RELEASE, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	}
	assert_int_equal(release(f), RL_QUORUM);
	assert_int_equal(f->world.nodes[0].error.status, RL_UNCERTAIN);
	/* It may be free by now. */
	assert_false(is_held(f));
	assert_true(rl_lock_owes_release(&f->lock, &f->world.client));
	no_rules();
	world_pass(&f->world, 3 * S);
	assert_int_not_equal(release(f), RL_QUORUM);
	assert_int_equal(count_held(f), 0);
}

static bool stop_at_once(struct world *world)
{
	(void) world;
	return true;
}

static void release_that_is_interrupted_means_that_nobody_may_rely_on_the_lock(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	rule_for(ANY, RL_SCRIPT_RELEASE, (world_plan) {.travel_us = 200 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(release(f), RL_INTERRUPTED);
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), 0);
	assert_false(is_held(f));
}

static void renew_lasts_as_long_as_a_majority_has_it(void **state)
{
	fixture *f = *state;
	int64_t began;

	assert_int_equal(acquire(f, 0), RL_OK);
	for (int i = 0; i < 3; i++) {
		key_at(f, i)->expires += 20000;
	}
	began = f->world.now;
	assert_int_equal(renew(f, 40000), RL_OK);
	/* Three nodes have 50 s, which is a majority. */
	assert_int_equal(f->lock.valid_until, began + 50000 * MS - 500 * MS - 2 * MS);
}

static void renew_of_what_a_majority_has_not_is_no(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	for (int i = 1; i < 4; i++) {
		key_at(f, i)->holder_length = 0;
	}
	assert_int_equal(renew(f, 40000), RL_NO);
	assert_false(is_held(f));
	for (int i = 1; i < 4; i++) {
		assert_int_equal(key_at(f, i)->holder_length, 0);
	}
}

static void renew_without_a_majority_leaves_the_old_lease(void **state)
{
	fixture *f = *state;
	int64_t valid_until;

	assert_int_equal(acquire(f, 0), RL_OK);
	valid_until = f->lock.valid_until;
	for (int i = 0; i < 3; i++) {
		rule_for(i, RL_SCRIPT_RENEW, (world_plan) {.fate = WORLD_SILENT});
	}
	assert_int_equal(renew(f, 40000), RL_QUORUM);
	assert_int_equal(f->lock.valid_until, valid_until);
	assert_true(is_held(f));
	no_rules();
	for (int i = 0; i < 3; i++) {
		rule_for(i, RL_SCRIPT_RENEW, (world_plan) {.reply = "*2\r\n:1\r\n:-1\r\n"});
	}
	world_pass(&f->world, 3 * S);
	assert_int_equal(renew(f, 40000), RL_QUORUM);
	assert_true(is_held(f));
}

static void by_token(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire_chosen(f, 0, "elsewhere"), RL_OK);
	assert_int_equal(rl_token_renew(&f->world.client, &f->lock.keys, rl_slice_text("elsewhere"), 40000, &f->error),
		RL_OK);
	assert_int_equal(rl_token_renew(&f->world.client, &f->lock.keys, rl_slice_text("nobody"), 40000, &f->error), RL_NO);
	assert_int_equal(rl_token_release(&f->world.client, &f->lock.keys, rl_slice_text("nobody"), &f->error), RL_NO);
	assert_int_equal(rl_token_release(&f->world.client, &f->lock.keys, rl_slice_text("elsewhere"), &f->error), RL_OK);
	world_pass(&f->world, 1);
	assert_int_equal(count_held(f), 0);
}

static void by_force(void **state)
{
	fixture *f = *state;

	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_NO);
	hold_at(f, 2, "another");
	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_OK);
	assert_int_equal(count_held(f), 0);
	for (int i = 0; i < NODES; i++) {
		hold_at(f, i, "another");
	}
	world_close_idle(&f->world);
	refuses[1] = true;
	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_OK);
	assert_int_equal(count_held(f), 1);
	refuses[2] = refuses[3] = true;
	world_close_idle(&f->world);
	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_QUORUM);
}

static void abandoning_writes_to_every_node_and_waits_for_none(void **state)
{
	fixture *f = *state;
	int first;
	int64_t began;

	assert_int_equal(acquire(f, 0), RL_OK);
	first = f->world.sent_count;
	began = f->world.now;
	rule_for(ANY, ANY, (world_plan) {.travel_us = 50 * MS, .answer_us = 50 * MS});
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.now, began);
	assert_int_equal(f->world.sent_count - first, NODES);
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	world_pass(&f->world, 100 * MS);
	assert_int_equal(count_held(f), 0);
}

static void abandoning_leaves_a_node_without_a_connection_alone(void **state)
{
	fixture *f = *state;
	int first;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_close_idle(&f->world);
	hangs[0] = hangs[1] = true;
	first = f->world.sent_count;
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.sent_count, first);
	assert_null(f->lock.token);
}

/* --------------------------------------------------------------------------------------------- attach and inspect */

static rl_status attach(fixture *f, const char *token)
{
	return rl_lock_attach(&f->lock, &f->world.client, rl_slice_text(token), &f->error);
}

/* What a majority granted to this very call is its own, so it needs no second round. */
static void attach_has_a_new_fence_that_a_majority_stores(void **state)
{
	fixture *f = *state;
	int64_t fence;
	int first;

	assert_int_equal(acquire_chosen(f, 0, "owner"), RL_OK);
	fence = f->lock.fence;
	rl_lock_forget(&f->lock);
	first = f->world.sent_count;
	world_pass(&f->world, 10 * S);
	assert_int_equal(attach(f, "owner"), RL_OK);
	assert_true(f->lock.fence > fence);
	assert_true(is_held(f));
	assert_int_equal(count_sent(f, first, RL_SCRIPT_RAISE), 0);
	assert_true(count_fence(f, f->lock.fence) >= 3);
	assert_true(f->lock.valid_until <= f->world.now + 20 * S);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(count_held(f), 0);
}

static void attach_to_what_a_majority_does_not_have_is_no(void **state)
{
	fixture *f = *state;

	assert_int_equal(attach(f, "owner"), RL_NO);
	hold_at(f, 0, "owner");
	hold_at(f, 1, "owner");
	assert_int_equal(attach(f, "owner"), RL_NO);
	assert_false(is_held(f));
	/* Nothing was taken, so nothing is given back. */
	assert_int_equal(count_held(f), 2);
}

static void attach_without_a_majority(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < NODES; i++) {
		hold_at(f, i, "owner");
	}
	for (int i = 0; i < 3; i++) {
		rule_for(i, RL_SCRIPT_QUORUM_ATTACH, (world_plan) {.reply = "*3\r\n:1\r\n:5\r\n:-1\r\n"});
	}
	assert_int_equal(attach(f, "owner"), RL_QUORUM);
	assert_int_equal(count_held(f), NODES);
}

static void attach_to_new_nodes(void **state)
{
	fixture *f = *state;

	assert_int_equal(attach(f, "owner"), RL_QUORUM);
	assert_string_equal(f->world.nodes[0].error.code, "SITSOUT");
}

static void a_chosen_token_is_given_back_only_where_it_was_granted(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;
	char fence[RL_NUMBER_SIZE];

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "worker");
	}
	rule_for(4, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_NO);
	assert_int_equal(count_sent(f, first, RL_SCRIPT_RELEASE), 1);
	snprintf(fence, sizeof(fence), "%lld", (long long) key_at(f, 3)->fence);
	assert_int_equal(sent(f, f->world.sent_count - 1)->server, 3);
	assert_slice_equal(sent(f, f->world.sent_count - 1)->command.arguments[1], fence);
	world_pass(&f->world, 1);
	for (int i = 0; i < 3; i++) {
		assert_true(holds_at(f, i, rl_slice_text("worker")));
	}
	assert_false(holds_at(f, 3, rl_slice_text("worker")));
}

static rl_status inspect(fixture *f, rl_inspection *inspection)
{
	return rl_inspect(&f->world.client, &f->lock.keys, inspection, &f->error);
}

static void inspect_says_what_a_majority_says(void **state)
{
	fixture *f = *state;
	rl_inspection inspection;

	assert_int_equal(inspect(f, &inspection), RL_OK);
	assert_false(inspection.held);
	rl_buffer_free(&inspection.token);
	assert_int_equal(acquire(f, 0), RL_OK);
	for (int i = 0; i < 3; i++) {
		key_at(f, i)->expires -= 10000;
	}
	assert_int_equal(inspect(f, &inspection), RL_OK);
	assert_true(inspection.held);
	assert_true(rl_slice_equal(rl_slice_make(inspection.token.data, inspection.token.length), token_of(f)));
	assert_int_equal(inspection.remaining_ms, 20000);
	assert_true(inspection.fence == f->lock.fence);
	rl_buffer_free(&inspection.token);
	/* A minority of it is nobody. */
	for (int i = 0; i < 3; i++) {
		key_at(f, i)->holder_length = 0;
	}
	assert_int_equal(inspect(f, &inspection), RL_OK);
	assert_false(inspection.held);
	rl_buffer_free(&inspection.token);
}

static void inspect_a_lock_without_a_time_to_live(void **state)
{
	fixture *f = *state;
	rl_inspection inspection;

	for (int i = 0; i < NODES; i++) {
		hold_at(f, i, "another");
		key_at(f, i)->expires = 0;
	}
	assert_int_equal(inspect(f, &inspection), RL_OK);
	assert_true(inspection.held);
	assert_true(inspection.remaining_ms == -1);
	rl_buffer_free(&inspection.token);
}

static void inspect_without_a_majority(void **state)
{
	fixture *f = *state;
	rl_inspection inspection;

	for (int i = 0; i < 3; i++) {
		rule_for(i, RL_SCRIPT_INSPECT,
			(world_plan) {.reply = i == 0 ? "+OK\r\n" : "*5\r\n:0\r\n$0\r\n\r\n:0\r\n$0\r\n\r\n:0\r\n"});
	}
	assert_int_equal(inspect(f, &inspection), RL_QUORUM);
	rl_buffer_free(&inspection.token);
}

/* ---------------------------------------------------------------------------------------------- nodes that fail */

static void an_unknown_script_is_sent_whole_to_whom_does_not_know_it(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;

	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	world_pass(&f->world, 1 * S);
	/* Somebody has these forget them. */
	world_server(&f->world, 1)->unknown_scripts = ~0u;
	world_server(&f->world, 2)->unknown_scripts = ~0u;
	first = f->world.sent_count;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	for (int i = first; i < f->world.sent_count; i++) {
		if (sent(f, i)->command.form == RL_BY_TEXT) {
			assert_true(sent(f, i)->server == 1 || sent(f, i)->server == 2);
		}
	}
}

static void a_script_goes_with_its_text_once_on_a_connection(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;

	for (int round = 0; round < 3; round++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_int_equal(release(f), RL_OK);
		world_pass(&f->world, 1 * S);
	}
	for (int i = first; i < f->world.sent_count; i++) {
		assert_int_equal(sent(f, i)->command.form, i < first + 2 * NODES ? RL_BY_TEXT : RL_BY_HASH);
	}
}

/* It would answer NOSCRIPT when nobody waits for its answer any more, and keep the lock. */
static void a_slow_node_without_the_scripts_gives_back_all_the_same(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < NODES; i++) {
		world_server(&f->world, i)->unknown_scripts = ~0u;
	}
	rule_for(4, ANY, (world_plan) {.travel_us = 50 * MS, .answer_us = 80 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), 0);
	assert_true(count_fence(f, f->lock.fence) == NODES);
}

/* It failed a moment ago, but it may have granted the lock to what it was asked since. */
static void a_node_that_owes_an_answer_is_told_of_the_release(void **state)
{
	fixture *f = *state;

	for (int i = 2; i < NODES; i++) {
		rule_for(i, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.travel_us = 500 * MS, .answer_us = 505 * MS});
	}
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	no_rules();
	world_pass(&f->world, 10 * MS);
	assert_int_equal(count_held(f), 0);
	rule_for(3, ANY, (world_plan) {.answer_us = 60 * MS});
	rule_for(4, ANY, (world_plan) {.answer_us = 60 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(f->world.nodes[4].down_until > f->world.now);
	assert_int_equal(release(f), RL_OK);
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), 0);
}

/* When it goes on, it runs the acquire first. */
static void a_release_goes_behind_what_a_node_that_hangs_was_asked(void **state)
{
	fixture *f = *state;

	rule_for(4, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.travel_us = 5 * S, .answer_us = 5 * S});
	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 3 * S);
	assert_int_equal(release(f), RL_OK);
	world_pass(&f->world, 10 * S);
	assert_int_equal(count_held(f), 0);
	assert_true(count_fence(f, f->lock.fence) == NODES);
}

/* It is asked no more when it is too far behind, but what it was asked for before must be given back. */
static void a_node_that_is_far_behind_is_told_of_releases(void **state)
{
	fixture *f = *state;

	f->world.client.timeout_us = 60 * S;
	rule_for(4, ANY, (world_plan) {.travel_us = 20 * S});
	for (int i = 0; i < 40; i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_int_equal(rl_lock_renew(&f->lock, &f->world.client, 40000 + i, &f->error), RL_OK);
		assert_int_equal(release(f), RL_OK);
	}
	no_rules();
	world_pass(&f->world, 30 * S);
	assert_int_equal(count_held(f), 0);
	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), NODES);
}

/* A chosen token is given back only where its fence is known, so nodes that are about to answer are waited for. */
static void a_chosen_token_that_was_refused_leaves_nothing_behind(void **state)
{
	rl_slice token = rl_slice_text("worker 7");
	fixture *f = *state;
	int64_t began;

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "somebody");
	}
	hold_at(f, 3, "worker 7");
	rule_for(3, ANY, (world_plan) {.answer_us = 5 * MS});
	rule_for(4, ANY, (world_plan) {.answer_us = 5 * MS});
	assert_int_equal(rl_lock_acquire(&f->lock, &f->world.client, 0, &token, &f->error), RL_NO);
	no_rules();
	world_pass(&f->world, 1 * S);
	assert_int_equal(key_at(f, 4)->holder_length, 0);
	assert_int_equal(key_at(f, 3)->holder_length, token.length);
	assert_int_equal(count_held(f), 4);
	/* Not for long. */
	rule_for(4, ANY, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	began = f->world.now;
	assert_int_equal(rl_lock_acquire(&f->lock, &f->world.client, 0, &token, &f->error), RL_NO);
	assert_true(f->world.now - began <= 20 * MS);
}

/* The release on the old connection may have been run before the one on the new one: then "not ours" says nothing. */
static void not_ours_from_nodes_that_were_told_twice_is_no_answer(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	for (int i = 2; i < NODES; i++) {
		rule_for(i, RL_SCRIPT_RENEW, (world_plan) {.answer_us = 3 * S});
	}
	assert_int_equal(rl_lock_renew(&f->lock, &f->world.client, 30000, &f->error), RL_QUORUM);
	no_rules();
	world_pass(&f->world, 10 * MS);
	assert_int_equal(release(f), RL_QUORUM);
	assert_false(is_held(f));
	world_pass(&f->world, 5 * S);
	assert_int_equal(count_held(f), 0);
	assert_int_equal(release(f), RL_NO);
}

static void answers_that_no_script_of_ours_gives(void **state)
{
	static const char *const wrong[] = {"+OK\r\n", "*0\r\n", "*1\r\n:1\r\n", "*1\r\n:3\r\n", "*2\r\n:1\r\n:0\r\n",
		"*2\r\n:1\r\n$1\r\nx\r\n", "*2\r\n:2\r\n:-1\r\n", "*1\r\n:2\r\n", "*2\r\n:1\r\n:9007199254740992\r\n",
		"HTTP/1.1 400\r\n", "*1\r\n*0\r\n"};
	fixture *f = *state;

	for (int i = 0; i < COUNT(wrong); i++) {
		no_rules();
		for (int node = 0; node < 3; node++) {
			rule_for(node, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.reply = wrong[i]});
		}
		assert_int_equal(acquire(f, 0), RL_QUORUM);
		for (int node = 0; node < 3; node++) {
			assert_int_equal(f->world.nodes[node].error.status, RL_SERVER);
		}
		assert_false(is_held(f));
		world_pass(&f->world, 10 * S);
		assert_int_equal(count_held(f), 0);
	}
}

/* It costs a connect each time; the others are enough. */
static void a_node_that_failed_is_left_alone_for_a_while(void **state)
{
	fixture *f = *state;
	int before;

	world_close_idle(&f->world);
	refuses[2] = true;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	before = f->world.connection_count;
	for (int i = 0; i < 20; i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_int_equal(release(f), RL_OK);
	}
	assert_int_equal(f->world.connection_count, before);
	/* It is asked again later, and when the others are not enough. */
	refuses[2] = false;
	world_pass(&f->world, 3 * S);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(f->world.connection_count > before);
}

static void a_node_that_hangs_delays_nobody(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	rule_for(1, ANY, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	for (int i = 0; i < 50; i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_int_equal(release(f), RL_OK);
		world_pass(&f->world, 100 * MS);
	}
	assert_int_equal(f->world.now, began + 5 * S);
	/* Nor does it gather commands without end. */
	assert_true(world_count(&f->world, WORLD_PARKED) <= 10);
}

static void a_node_whose_connect_hangs_delays_nobody(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_close_idle(&f->world);
	hangs[0] = hangs[4] = true;
	for (int i = 0; i < 50; i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_int_equal(release(f), RL_OK);
		world_pass(&f->world, 100 * MS);
	}
	assert_int_equal(f->world.now, began + 5 * S);
}

static void errors_that_pass_close_the_connection(void **state)
{
	fixture *f = *state;
	int before = f->world.connection_count;

	rule_for(0, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.reply = "-READONLY x\r\n"});
	rule_for(1, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.reply = "-LOADING x\r\n"});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(world_count(&f->world, WORLD_DROPPED), 2);
	no_rules();
	world_pass(&f->world, 3 * S);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(f->world.connection_count, before + 2);
}

static void without_memory_for_connections(void **state)
{
	fixture *f = *state;

	world_close_idle(&f->world);
	for (int i = 0; i < NODES; i++) {
		world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_NO_CONNECTION});
	}
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	assert_int_equal(f->world.nodes[0].error.status, RL_SYSTEM);
}

static void without_randomness(void **state)
{
	fixture *f = *state;

	f->world.random_fails = true;
	assert_int_equal(acquire(f, 0), RL_SYSTEM);
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
}

/* ------------------------------------------------------------------------------------------------ signals and forks */

static bool stop_after_the_signal(struct world *world)
{
	return world->signal_at == 0;
}

static bool fork_at_the_signal(struct world *world)
{
	if (world->signal_at == 0) {
		world->process = 200;
	}
	return false;
}

static bool fork_and_stop_the_child(struct world *world)
{
	bool parent = world->process == 100;

	if (world->signal_at != 0) {
		return false;
	}
	world->process = 200;
	return parent;
}

static void an_exception_of_a_signal_handler_leaves_nothing_locked(void **state)
{
	fixture *f = *state;

	rule_for(ANY, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.travel_us = 200 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = stop_after_the_signal;
	assert_int_equal(acquire(f, 5000), RL_INTERRUPTED);
	assert_false(is_held(f));
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), 0);
}

static void an_exception_of_a_signal_handler_in_a_pause(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "another");
	}
	f->world.signal_at = f->world.now + 500 * MS;
	f->world.interrupted = stop_after_the_signal;
	assert_int_equal(acquire(f, 5000), RL_INTERRUPTED);
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_holding(f, rl_slice_text("another")), 3);
	assert_int_equal(count_held(f), 3);
}

static void handlers_run_every_tenth_of_a_second_while_we_wait(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "another");
	}
	/* Pauses shorter than that must not keep them from running. */
	assert_int_equal(acquire(f, 10000), RL_NO);
	assert_in_range(f->world.interruptions, 40, 1000);
}

static void a_fork_while_answers_are_outstanding(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;

	rule_for(ANY, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.travel_us = 200 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_at_the_signal;
	assert_int_equal(acquire(f, 0), RL_QUORUM);
	assert_contains(f->error.message, "forked");
	assert_false(is_held(f));
	assert_int_equal(f->world.sent_count, first + NODES);
}

static void a_fork_in_a_pause(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 3; i++) {
		hold_at(f, i, "another");
		key_at(f, i)->expires = f->world.servers[i].time_us / 1000 + 1000;
	}
	f->world.signal_at = f->world.now + 500 * MS;
	f->world.interrupted = fork_at_the_signal;
	assert_int_equal(acquire(f, 5000), RL_OK);
	assert_int_equal(f->world.process, 200);
	assert_true(is_held(f));
	assert_true(count_holding(f, token_of(f)) >= 3);
	assert_int_equal(release(f), RL_OK);
	world_pass(&f->world, 1 * S);
	assert_int_equal(count_held(f), 0);
}

static void a_child_that_throws_ends_the_call(void **state)
{
	fixture *f = *state;
	int first = f->world.sent_count;

	rule_for(ANY, RL_SCRIPT_QUORUM_ACQUIRE, (world_plan) {.travel_us = 200 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_and_stop_the_child;
	assert_int_equal(acquire(f, 5000), RL_INTERRUPTED);
	assert_int_equal(f->world.sent_count, first + NODES);
}

static void a_forked_child_holds_nothing(void **state)
{
	fixture *f = *state;
	int first;

	assert_int_equal(acquire(f, 0), RL_OK);
	first = f->world.sent_count;
	f->world.process = 200;
	assert_false(is_held(f));
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(release(f), RL_NO);
	assert_int_equal(renew(f, 40000), RL_NO);
	assert_int_equal(f->world.sent_count, first);
	assert_int_equal(acquire(f, 0), RL_NO);
}

static void the_key_that_remembers_a_node(void **state)
{
	fixture *f = *state;
	rl_buffer key = {0};

	/* The name of the node key holds the prefix, so that two prefixes on one server are two quorums. */
	assert_true(rl_quorum_node_key(&f->world.client, &key));
	assert_slice_equal(rl_slice_make(key.data, key.length), "{redislock:}:redislock:node");
	rl_buffer_free(&key);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_quorum, end)
#define TEST_NEW(name) cmocka_unit_test_setup_teardown(name, begin_new_quorum, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_NEW(new_nodes_sit_out),
		TEST_NEW(initializing_puts_all_nodes_into_service),
		TEST_NEW(initializing_after_an_early_attempt),
		TEST_NEW(initializing_needs_every_node),
		TEST_NEW(initializing_when_one_is_in_service_already),
		TEST(a_node_that_lost_its_memory_sits_out),
		TEST(a_node_that_was_restarted_with_its_memory_sits_out_as_well),
		TEST(the_run_id_is_asked_for_once_per_connection),
		TEST(a_server_that_names_no_run_id),
		TEST(all_nodes_are_asked_at_once),
		TEST(the_retention_is_ten_minutes_at_least),
		TEST(it_is_decided_by_the_majority),
		TEST(a_minority_may_be_gone),
		TEST(without_a_majority_each_node_says_why),
		TEST(held_by_another_on_a_majority_is_no),
		TEST(a_split_vote_is_no_and_leaves_nothing),
		TEST(a_failed_attempt_is_released_on_the_same_connections),
		TEST(a_retry_has_a_token_of_its_own),
		TEST(a_wait_in_vain_ends_at_its_deadline),
		TEST(failures_end_the_wait_after_retry_for),
		TEST(a_grant_after_the_end_of_its_lease_is_given_back),
		TEST(fences_grow),
		TEST(a_larger_fence_is_raised_on_the_others),
		TEST(a_raise_that_meets_a_larger_fence_starts_again),
		TEST(a_raise_that_a_majority_does_not_answer_is_no_acquisition),
		TEST(a_raise_on_a_node_that_is_not_ours_any_more),
		TEST(a_raise_that_is_refused_leaves_nothing_locked),
		TEST(a_mad_clock_does_not_use_up_the_numbers),
		TEST(release_is_one_round_trip),
		TEST(release_of_what_a_majority_has_not_is_no),
		TEST(release_without_a_majority_can_be_tried_again),
		TEST(release_that_is_interrupted_means_that_nobody_may_rely_on_the_lock),
		TEST(renew_lasts_as_long_as_a_majority_has_it),
		TEST(renew_of_what_a_majority_has_not_is_no),
		TEST(renew_without_a_majority_leaves_the_old_lease),
		TEST(by_token),
		TEST(by_force),
		TEST(abandoning_writes_to_every_node_and_waits_for_none),
		TEST(abandoning_leaves_a_node_without_a_connection_alone),
		TEST(attach_has_a_new_fence_that_a_majority_stores),
		TEST(attach_to_what_a_majority_does_not_have_is_no),
		TEST(attach_without_a_majority),
		TEST_NEW(attach_to_new_nodes),
		TEST(a_chosen_token_is_given_back_only_where_it_was_granted),
		TEST(inspect_says_what_a_majority_says),
		TEST(inspect_a_lock_without_a_time_to_live),
		TEST(inspect_without_a_majority),
		TEST(an_unknown_script_is_sent_whole_to_whom_does_not_know_it),
		TEST(a_script_goes_with_its_text_once_on_a_connection),
		TEST(a_slow_node_without_the_scripts_gives_back_all_the_same),
		TEST(a_node_that_owes_an_answer_is_told_of_the_release),
		TEST(a_release_goes_behind_what_a_node_that_hangs_was_asked),
		TEST(a_node_that_is_far_behind_is_told_of_releases),
		TEST(a_chosen_token_that_was_refused_leaves_nothing_behind),
		TEST(not_ours_from_nodes_that_were_told_twice_is_no_answer),
		TEST(answers_that_no_script_of_ours_gives),
		TEST(a_node_that_failed_is_left_alone_for_a_while),
		TEST(a_node_that_hangs_delays_nobody),
		TEST(a_node_whose_connect_hangs_delays_nobody),
		TEST(errors_that_pass_close_the_connection),
		TEST(without_memory_for_connections),
		TEST(without_randomness),
		TEST(an_exception_of_a_signal_handler_leaves_nothing_locked),
		TEST(an_exception_of_a_signal_handler_in_a_pause),
		TEST(handlers_run_every_tenth_of_a_second_while_we_wait),
		TEST(a_fork_while_answers_are_outstanding),
		TEST(a_fork_in_a_pause),
		TEST(a_child_that_throws_ends_the_call),
		TEST(a_forked_child_holds_nothing),
		TEST(the_key_that_remembers_a_node),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
