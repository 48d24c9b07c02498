/* Waiting for a lock that another holds: the queue, the pokes, and every fault while we wait. */
#include "fixture.h"

#include "rl_wait.h"

/* The lock that the acts of these tests are about. There is one test at a time. */
static fixture *present;

static int begin_waiting(void **state)
{
	begin(state);
	present = *state;
	return 0;
}

/* Another client runs a script of ours on the lock, at the server itself. */
static void run_elsewhere(rl_script_id script, const char *argument, const char *second)
{
	model_command command = {
		.script = rl_script_get(script),
		.form = RL_BY_TEXT,
		.key_count = 4,
		.keys = {present->lock.keys.lock, present->lock.keys.fence, present->lock.keys.wait, present->lock.keys.wake},
		.argument_count = 2,
		.arguments = {rl_slice_text(argument), rl_slice_text(second)}
	};
	char answer[1024];

	model_run(world_server(&present->world, 0), 1000, &command, answer, sizeof(answer));
}

static void holder_releases(struct world *world)
{
	(void) world;
	run_elsewhere(RL_SCRIPT_RELEASE, "another", "");
}

static void holder_renews(struct world *world)
{
	(void) world;
	run_elsewhere(RL_SCRIPT_RENEW, "another", "30000");
}

static void somebody_deletes(struct world *world)
{
	(void) world;
	nobody_holds(present);
}

static void everything_is_flushed(struct world *world)
{
	model_key *key = key_of_lock(present);

	(void) world;
	nobody_holds(present);
	key->fence = 0;
	key->wait_flag_expires = 0;
	key->wake = -1;
	key->wake_expires = 0;
}

static void close_every_connection(struct world *world)
{
	world_close_all(world);
}

static void stop_holding_and_cut(struct world *world)
{
	nobody_holds(present);
	world->server->blocked_count = 0;
}

static bool stop_at_once(struct world *world)
{
	(void) world;
	return true;
}

/* The handler of the one signal of the test throws. */
static bool stop_after_the_signal(struct world *world)
{
	return world->signal_at == 0;
}

/* How many commands of a kind were sent. */
static int count_script(rl_script_id script)
{
	int count = 0;

	for (int i = 0; i < present->world.sent_count; i++) {
		count += world_is(&present->world.sent[i], script);
	}
	return count;
}

static bool is_blpop(const world_sent *command)
{
	return command->command.script == NULL && rl_slice_equal(command->command.arguments[0], rl_slice_text("BLPOP"));
}

static int count_blpop(void)
{
	int count = 0;

	for (int i = 0; i < present->world.sent_count; i++) {
		count += is_blpop(&present->world.sent[i]);
	}
	return count;
}

static void no_wait_raises_no_flag_and_never_blocks(void **state)
{
	fixture *f = *state;

	held_by_another(f, 10000);
	assert_int_equal(acquire(f, 0), RL_NO);
	assert_int_equal(sent(f, 0)->command.argument_count, 2);
	assert_int_equal(count_blpop(), 0);
}

static void a_free_lock_is_taken_at_once(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_int_equal(f->world.sent_count, 1);
	assert_int_equal(f->world.now, began);
}

static void the_first_waiter_is_served_as_the_holder_releases(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;
	char reservation[RL_RESERVATION_SIZE];

	held_by_another(f, 10000);
	key_of_lock(f)->fence = 4711;
	world_at(&f->world, 300 * MS, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_int_equal(f->world.now, began + 300 * MS);
	/* Two commands after the first try, on one connection. */
	assert_int_equal(f->world.sent_count, 3);
	assert_int_equal(f->world.connection_count, 1);
	assert_slice_equal(sent(f, 0)->command.arguments[3], "2500");
	assert_true(is_blpop(sent(f, 1)));
	assert_slice_equal(sent(f, 1)->command.arguments[1], "{redislock:job}:redislock:wake");
	/* The rest of the wait and a second. */
	assert_slice_equal(sent(f, 1)->command.arguments[2], "11.000");
	snprintf(reservation, sizeof(reservation), "handoff:%d", 4711);
	assert_slice_equal(sent(f, 2)->command.arguments[4], reservation);
	assert_true(f->lock.fence > 4711);
	/* The lease counts from the claim. */
	assert_int_equal(f->lock.valid_until, began + 300 * MS + 29698 * MS);
	assert_true(server_holds_lock(f));
	assert_int_equal(world_count(&f->world, WORLD_IDLE), 1);
}

/* What a waiter sends at its deadline: the last one is command number `last`. */
static void check_last_try(fixture *f, int last, int64_t began)
{
	assert_true(world_is(sent(f, last), RL_SCRIPT_ACQUIRE));
	assert_int_equal(sent(f, last)->at, began + 3 * S);
	/* Who will not wait any more raises no flag, but it may meet a reservation. */
	assert_int_equal(sent(f, last)->command.argument_count, 2);
	assert_int_equal(sent(f, last)->command.key_count, 3);
	assert_in_range(f->world.now - began, 3 * S, 3 * S + 25 * MS);
	/* No place is kept for who has gone. */
	world_pass(&f->world, 1);
	assert_int_equal(f->world.server->blocked_count, 0);
	assert_false(f->lock.uncertain);
}

static void the_last_try_is_made_at_the_deadline(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;
	const world_sent *last;
	int connections;

	held_by_another(f, 60000);
	assert_int_equal(acquire(f, 3000), RL_NO);
	/* The server ends the BLPOP, and both connections can be used again. */
	last = sent(f, f->world.sent_count - 1);
	assert_null(last->command.script);
	assert_slice_equal(last->command.arguments[0], "CLIENT");
	assert_slice_equal(last->command.arguments[1], "UNBLOCK");
	check_last_try(f, f->world.sent_count - 2, began);
	connections = f->world.connection_count;
	assert_int_equal(acquire(f, 3000), RL_NO);
	assert_int_equal(f->world.connection_count, connections);
}

static void the_same_where_client_is_forbidden(void **state)
{
	fixture *f = *state;

	f->world.server->cannot_unblock = true;
	held_by_another(f, 60000);
	for (int i = 0; i < 2; i++) {
		int64_t began = f->world.now;
		int tried = i == 0;

		assert_int_equal(acquire(f, 3000), RL_NO);
		/* It is tried once. */
		check_last_try(f, f->world.sent_count - 1 - tried, began);
		assert_true(f->world.client.endpoint->cannot_unblock);
	}
}

static void a_delete_just_before_the_deadline_is_noticed_by_the_last_try(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_at(&f->world, 2999 * MS, somebody_deletes);
	assert_int_equal(acquire(f, 3000), RL_OK);
	assert_true(server_holds_lock(f));
}

static void a_wake_up_at_the_very_deadline_is_not_lost(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	/* The wake-up is under way as the deadline comes: the last try meets a reservation that is picked up already. */
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.answer_us = 5 * MS});
	world_at(&f->world, 499 * MS, holder_releases);
	assert_int_equal(acquire(f, 500), RL_OK);
	assert_true(server_holds_lock(f));
}

static void while_a_holder_renews_a_waiter_sends_little(void **state)
{
	fixture *f = *state;

	held_by_another(f, 30000);
	for (int i = 1; i <= 10; i++) {
		world_at(&f->world, i * S, holder_renews);
	}
	assert_int_equal(acquire(f, 10000), RL_NO);
	assert_int_equal(count_blpop(), 1);
	for (int i = 0; i < f->world.sent_count; i++) {
		if (world_is(sent(f, i), RL_SCRIPT_POKE)) {
			assert_int_equal(sent(f, i)->command.key_count, 4);
			assert_slice_equal(sent(f, i)->command.arguments[0], "2500");
		}
	}
	assert_in_range(count_script(RL_SCRIPT_POKE), 8, 12);
	assert_true(f->world.sent_count <= 20);
	assert_int_equal(f->world.connection_count, 2);
}

/* The pokes keep the flag up, or a holder that takes its time would free the lock for whoever comes first. */
static void a_release_after_a_long_time_still_wakes(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 60000);
	world_at(&f->world, 7700 * MS, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_int_equal(f->world.now, began + 7700 * MS);
	assert_memory_equal(sent(f, f->world.sent_count - 1)->command.arguments[4].data, "handoff:", 8);
}

static void while_a_holder_renews_a_short_lease_a_waiter_sends_little(void **state)
{
	fixture *f = *state;

	held_by_another(f, 100);
	key_of_lock(f)->expires = 0;
	/* The server says that 50 ms are left, whenever it is asked. */
	for (int i = 0; i < 40; i++) {
		world_will(&f->world, (world_plan) {0});
	}
	f->world.plans[0] = (world_plan) {.reply = "*2\r\n:0\r\n:50\r\n"};
	for (int i = 2; i < 40; i++) {
		f->world.plans[i] = (world_plan) {.reply = "*2\r\n:0\r\n:50\r\n"};
	}
	acquire(f, 10000);
	assert_true(f->world.sent_count <= 24);
}

static void under_a_second_one_connection_is_enough(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	assert_int_equal(acquire(f, 850), RL_NO);
	assert_int_equal(count_script(RL_SCRIPT_POKE), 0);
	/* One blocks; the last try goes over the other one. */
	assert_true(f->world.connection_count <= 2);
}

static void a_holder_that_dies_is_noticed_as_its_lease_ends(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 3000);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_in_range(f->world.now - began, 3 * S, 3 * S + 50 * MS);
	assert_true(server_holds_lock(f));
}

static void a_lease_that_ends_soon_is_met_exactly(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 200);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_in_range(f->world.now - began, 200 * MS, 250 * MS);
}

static void a_lock_that_somebody_deletes_is_noticed_within_about_a_second(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 60000);
	world_at(&f->world, 1500 * MS, somebody_deletes);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_in_range(f->world.now - began, 1500 * MS, 2700 * MS);
}

static void a_flush_is_noticed_within_about_a_second(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 60000);
	world_at(&f->world, 1500 * MS, everything_is_flushed);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_in_range(f->world.now - began, 1500 * MS, 2700 * MS);
}

/* A stopped waiter ahead of us is woken and does not come. */
static void a_reservation_that_nobody_claims_costs_little(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;
	model *server = f->world.server;

	held_by_another(f, 60000);
	server->blocked[0] = (model_blocked) {.client = 999, .key = key_of_lock(f), .until = INT64_MAX};
	server->blocked[1] = server->blocked[0];
	server->blocked[2] = server->blocked[0];
	server->blocked_count = 3;
	world_at(&f->world, 100 * MS, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_in_range(f->world.now - began, 600 * MS, 2100 * MS);
	assert_true(server_holds_lock(f));
}

/* The wake list still holds it: then a newcomer may have it. */
static void a_reservation_for_nobody_is_taken_by_a_newcomer(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	key_of_lock(f)->wait_flag_expires = server_ms(f) + 2500;
	holder_releases(&f->world);
	assert_true(key_of_lock(f)->wake >= 0);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(server_holds_lock(f));
	/* Only then is the wake list named; the first send did nothing. */
	assert_int_equal(f->world.sent_count, 2);
	assert_int_equal(sent(f, 0)->command.key_count, 2);
	assert_int_equal(sent(f, 1)->command.key_count, 3);
	assert_slice_equal(sent(f, 1)->command.keys[2], "{redislock:job}:redislock:wake");
	assert_int_equal(sent(f, 1)->command.argument_count, 2);
	assert_int_equal(sent(f, 1)->connection, sent(f, 0)->connection);
	assert_false(f->lock.uncertain);
}

static void a_reservation_for_somebody_keeps_a_newcomer_out(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	key_of_lock(f)->wait_flag_expires = server_ms(f) + 2500;
	holder_releases(&f->world);
	key_of_lock(f)->wake = -1;
	assert_int_equal(acquire(f, 0), RL_NO);
	assert_int_equal(f->world.sent_count, 2);
	assert_false(f->lock.uncertain);
	/* The same with a token of the caller's. */
	assert_int_equal(acquire_chosen(f, 0, "owner"), RL_NO);
	assert_int_equal(f->world.sent_count, 4);
	assert_slice_equal(token_sent(f, 3), "owner");
	assert_memory_equal(key_of_lock(f)->holder, "handoff:", 8);
}

/* Who waits names it at once: it costs no second round trip. */
static void who_waits_names_the_wake_list_at_once(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	key_of_lock(f)->wait_flag_expires = server_ms(f) + 2500;
	holder_releases(&f->world);
	assert_int_equal(acquire(f, 1000), RL_OK);
	assert_int_equal(f->world.sent_count, 1);
}

static void ask_for_the_wake_list(struct world *world, const world_sent *command, world_plan *plan)
{
	(void) world;
	(void) command;
	plan->reply = "*1\r\n:2\r\n";
}

static void a_server_that_asks_for_the_wake_list_for_ever(void **state)
{
	fixture *f = *state;

	f->world.plan = ask_for_the_wake_list;
	assert_int_equal(acquire(f, 0), RL_SERVER);
	assert_int_equal(f->world.sent_count, 2);
	assert_int_equal(acquire(f, 1000), RL_SERVER);
}

static void a_blocked_connection_that_breaks_is_replaced(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 400 * MS});
	world_at(&f->world, 3 * S, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_true(count_blpop() >= 2);
	assert_true(server_holds_lock(f));
}

static void a_server_that_is_gone_during_the_wait_ends_it_after_retry_for(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	f->world.client.retry_for_us = 2 * S;
	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 400 * MS});
	world_will_connect(&f->world, (world_connect_plan) {0});
	for (int i = 0; i < WORLD_PLANS - 1; i++) {
		world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	}
	assert_int_equal(acquire(f, 60000), RL_CONNECTION);
	assert_in_range(f->world.now - began, 2 * S, 3 * S);
}

/* The path is dead both ways, and nobody says so: only the poke finds out. */
static void a_blocked_connection_that_is_silently_dead_does_not_matter(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	world_at(&f->world, 1500 * MS, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_in_range(f->world.now - began, 1500 * MS, 3000 * MS);
	assert_true(server_holds_lock(f));
}

static void an_early_nil_blocks_again(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.reply = "*-1\r\n", .answer_us = 100 * MS});
	world_at(&f->world, 700 * MS, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_int_equal(count_blpop(), 2);
	assert_int_equal(sent(f, 1)->connection, sent(f, 2)->connection);
	assert_int_equal(f->world.now, began + 700 * MS);
}

static void client_unblock_blocks_again(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world,
		(world_plan) {.reply = "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n", .answer_us = 50 * MS});
	world_at(&f->world, 700 * MS, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_int_equal(count_blpop(), 2);
}

static void an_answer_to_blpop_that_is_none(void **state)
{
	static const char *const wrong[] = {"+OK\r\n", ":1\r\n", "*0\r\n", "*1\r\n$1\r\nx\r\n", "*2\r\n$1\r\nx\r\n:1\r\n",
		"*3\r\n:1\r\n:1\r\n:1\r\n", "junk\r\n", "*2\r\n$1\r\nx\r\n$30\r\n123456789012345678901234567890\r\n"};
	fixture *f = *state;

	held_by_another(f, 60000);
	for (int i = 0; i < COUNT(wrong); i++) {
		world_will(&f->world, (world_plan) {0});
		world_will(&f->world, (world_plan) {.reply = wrong[i]});
		assert_int_equal(acquire(f, 10000), RL_SERVER);
		assert_int_equal(f->error.status, RL_SERVER);
	}
}

static void an_error_instead_of_blocking_that_passes(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.reply = "-LOADING Redis is loading\r\n"});
	world_at(&f->world, 2 * S, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
}

static void an_error_instead_of_blocking_that_lasts(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world,
		(world_plan) {.reply = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n"});
	assert_int_equal(acquire(f, 10000), RL_SERVER);
	assert_string_equal(f->error.code, "WRONGTYPE");
}

static void without_the_permission_to_block_it_polls(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 60000);
	f->world.server->cannot_block = true;
	world_at(&f->world, 4 * S, somebody_deletes);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_in_range(f->world.now - began, 4 * S, 4250 * MS);
	assert_int_equal(count_blpop(), 1);
	assert_true(f->world.client.endpoint->cannot_block);
	/* From now on it is not even tried. */
	assert_int_equal(release(f), RL_OK);
	held_by_another(f, 60000);
	assert_int_equal(acquire(f, 1000), RL_NO);
	assert_int_equal(count_blpop(), 1);
}

/* Pauses that grow to a quarter of a second: about eight tries a second, not a hundred. */
static void polling_is_not_busy(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	f->world.server->cannot_block = true;
	assert_int_equal(acquire(f, 10000), RL_NO);
	assert_in_range(count_script(RL_SCRIPT_ACQUIRE), 40, 200);
}

static void without_a_second_connection_it_blocks_for_a_second_at_a_time(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will_connect(&f->world, (world_connect_plan) {0});
	for (int i = 0; i < 20; i++) {
		world_will_connect(&f->world, (world_connect_plan) {.fate = i % 2 == 0 ? WORLD_REFUSED : WORLD_CONNECTED});
	}
	world_at(&f->world, 3500 * MS, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_true(count_blpop() >= 3);
	assert_true(server_holds_lock(f));
}

static void a_poke_whose_script_is_unknown_is_sent_whole(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	f->world.server->unknown_scripts = 1u << RL_SCRIPT_POKE;
	assert_int_equal(acquire(f, 3000), RL_NO);
	assert_true(count_script(RL_SCRIPT_POKE) >= 3);
	assert_int_equal(f->world.server->unknown_scripts, 0);
}

static void pokes_that_are_never_answered_do_not_end_the_wait(void **state)
{
	fixture *f = *state;

	f->world.client.timeout_us = 200 * MS;
	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {0});
	for (int i = 0; i < 4; i++) {
		world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	}
	world_at(&f->world, 5 * S, holder_releases);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_true(server_holds_lock(f));
}

/* Every poke is answered with the next of these. */
static const char *const poke_answers[] = {
	"-OOM x\r\n", "+OK\r\n", "*2\r\n:5\r\n:5\r\n", "*1\r\n:0\r\n", "junk\r\n", "-READONLY x\r\n", "*2\r\n:0\r\n:-2\r\n",
	"*2\r\n:0\r\n:9223372036854775807\r\n"
};

static void answer_pokes_with_nonsense(struct world *world, const world_sent *command, world_plan *plan)
{
	int *next = world->context;

	if (world_is(command, RL_SCRIPT_POKE)) {
		plan->reply = poke_answers[(*next)++ % COUNT(poke_answers)];
	}
}

static void pokes_that_are_answered_with_an_error_or_nonsense(void **state)
{
	fixture *f = *state;
	int next = 0;

	held_by_another(f, 60000);
	f->world.plan = answer_pokes_with_nonsense;
	f->world.context = &next;
	world_at(&f->world, 15 * S, holder_releases);
	assert_int_equal(acquire(f, 20000), RL_OK);
	assert_true(server_holds_lock(f));
	assert_true(next >= COUNT(poke_answers));
}

/* What is left of the holder's lease comes from a server, which can say anything. */
static void a_lease_that_seems_to_last_for_ever(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {.reply = "*2\r\n:0\r\n:9223372036854775807\r\n"});
	world_at(&f->world, 500 * MS, holder_releases);
	key_of_lock(f)->wait_flag_expires = server_ms(f) + 2500;
	assert_int_equal(acquire(f, 2000), RL_OK);
}

static void an_exception_of_a_signal_handler_ends_the_wait_at_once(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 60000);
	f->world.interrupted = stop_at_once;
	f->world.signal_at = f->world.now + 37 * MS;
	assert_int_equal(acquire(f, 10000), RL_INTERRUPTED);
	assert_in_range(f->world.now - began, 37 * MS, 60 * MS);
	world_pass(&f->world, 1);
	assert_int_equal(f->world.server->blocked_count, 0);
	assert_false(is_held(f));
	assert_false(f->lock.uncertain);
	assert_true(server_holds(f, rl_slice_text("another")));
}

static void who_is_interrupted_as_it_is_woken_passes_the_wake_up_on(void **state)
{
	fixture *f = *state;
	model *server = f->world.server;

	held_by_another(f, 60000);
	/* The answer to BLPOP takes 10 ms; the exception comes in between. */
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.answer_us = 10 * MS});
	world_at(&f->world, 500 * MS, holder_releases);
	f->world.signal_at = f->world.now + 505 * MS;
	f->world.interrupted = stop_after_the_signal;
	assert_int_equal(acquire(f, 10000), RL_INTERRUPTED);
	/* The release of the reservation: hands it over just like a lock. */
	assert_true(world_is(sent(f, f->world.sent_count - 1), RL_SCRIPT_RELEASE));
	assert_int_equal(sent(f, f->world.sent_count - 1)->command.form, RL_BY_TEXT);
	assert_memory_equal(token_sent(f, f->world.sent_count - 1).data, "handoff:", 8);
	world_pass(&f->world, 1);
	assert_int_equal(sent(f, f->world.sent_count - 1)->command.verdict, 1);
	assert_true(key_of_lock(f)->wake >= 0);
	assert_int_equal(server->blocked_count, 0);
}

static void handlers_run_every_tenth_of_a_second_while_we_wait(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	assert_int_equal(acquire(f, 10000), RL_NO);
	assert_in_range(f->world.interruptions, 80, 130);
}

static void handlers_run_while_we_poll_as_well(void **state)
{
	fixture *f = *state;

	/* A signal that arrives between two waits interrupts none of them. */
	held_by_another(f, 60000);
	f->world.server->cannot_block = true;
	assert_int_equal(acquire(f, 10000), RL_NO);
	assert_in_range(f->world.interruptions, 40, 1000);
}

/* ------------------------------------------------------------------------------ code of the application in a wait */

static rl_status nested_status;

/* A handler that uses another lock, and gives it back. */
static bool use_another_lock(struct world *world)
{
	rl_lock nested;
	rl_error error;

	world->interrupted = NULL;
	rl_lock_init(&nested, world->client.prefix, rl_slice_text("nested"), 1000, &error);
	nested_status = rl_lock_acquire(&nested, &world->client, 0, NULL, &error);
	if (nested_status == RL_OK) {
		nested_status = rl_lock_release(&nested, &world->client, &error);
	}
	rl_lock_free(&nested);
	return false;
}

static void a_handler_may_use_another_lock(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	f->world.signal_at = f->world.now + 200 * MS;
	f->world.interrupted = use_another_lock;
	world_at(&f->world, 500 * MS, holder_releases);
	nested_status = RL_SYSTEM;
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_int_equal(nested_status, RL_OK);
	assert_true(server_holds_lock(f));
}

static void a_handler_may_use_another_lock_while_an_answer_is_outstanding(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.answer_us = 500 * MS});
	f->world.signal_at = f->world.now + 200 * MS;
	f->world.interrupted = use_another_lock;
	nested_status = RL_SYSTEM;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(nested_status, RL_OK);
	assert_int_equal(f->world.connection_count, 2);
	assert_true(is_held(f));
}

static void a_call_can_be_interrupted_while_an_answer_is_outstanding(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.travel_us = 100 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(acquire(f, 0), RL_INTERRUPTED);
	/* The release is written behind. */
	assert_int_equal(f->world.sent_count, 2);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 1);
	world_pass(&f->world, 1 * S);
	assert_int_equal(sent(f, 1)->command.verdict, 1);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_false(is_held(f));
}

static void a_call_with_a_chosen_token_that_is_interrupted_leaves_nothing_locked(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_will(&f->world, (world_plan) {.travel_us = 100 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_INTERRUPTED);
	/* Its answer is waited for, because only its fence tells this send from others with the token. */
	assert_int_equal(f->world.now, began + 100 * MS);
	world_pass(&f->world, 1 * S);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	/* No more code of the application runs meanwhile. */
	assert_int_equal(f->world.interruptions, 1);
}

static void an_interrupted_chosen_token_without_an_answer(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_INTERRUPTED);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 1);
	assert_int_equal(f->world.sent_count, 1);
	/* Held by another: nothing to give back. */
	nobody_holds(f);
	held_by_another(f, 1000);
	world_will(&f->world, (world_plan) {.answer_us = 100 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_INTERRUPTED);
	assert_int_equal(f->world.sent_count, 2);
	assert_true(server_holds(f, rl_slice_text("another")));
	/* The connection fails while its answer is waited for: it must not be dropped a second time. */
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 100 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_INTERRUPTED);
}

static void a_call_can_be_interrupted_while_it_connects(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_HANGING});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(acquire(f, 5000), RL_INTERRUPTED);
	assert_int_equal(f->world.now, began + 50 * MS);
	assert_int_equal(f->world.sent_count, 0);
	assert_false(f->lock.uncertain);
}

static void a_call_can_be_interrupted_between_two_tries(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 60; i++) {
		world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	}
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.signal_every_us = 1 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(acquire(f, 60000), RL_INTERRUPTED);
	assert_false(f->lock.uncertain);
}

static void a_call_can_be_interrupted_between_two_repeats(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	f->world.signal_at = f->world.now + 1 * MS;
	f->world.signal_every_us = 1 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(acquire(f, 60000), RL_INTERRUPTED);
	assert_true(f->lock.uncertain);
	f->world.plan_first = f->world.plan_count;
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void a_signal_is_no_error(void **state)
{
	fixture *f = *state;

	f->world.signal_at = f->world.now + 1;
	f->world.signal_every_us = 700;
	world_will_connect(&f->world, (world_connect_plan) {.delay_us = 20 * MS});
	world_will(&f->world, (world_plan) {.travel_us = 20 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.travel_us = 20 * MS});
	assert_int_equal(renew(f, 60000), RL_OK);
	world_will(&f->world, (world_plan) {.travel_us = 20 * MS});
	assert_int_equal(release(f), RL_OK);
	held_by_another(f, 500);
	assert_int_equal(acquire(f, 2000), RL_OK);
	assert_true(f->world.interruptions > 500);
}

/* Whatever happens at the end of a wait, leaving the queue does not make the call longer than its budget. */
static void leaving_the_queue_stays_within_the_budget(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	f->world.client.timeout_us = 10 * MS;
	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.answer_us = WORLD_NEVER});
	for (int i = 0; i < 4; i++) {
		world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	}
	assert_int_equal(acquire(f, 100), RL_UNCERTAIN);
	assert_in_range(f->world.now - began, 100 * MS, 120 * MS);
}

/* A BLPOP that could not be written: nothing will ever come on that connection but its end. */
static void without_memory_to_block_the_core_does_not_spin(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.fate = WORLD_NO_MEMORY});
	f->world.signal_at = 0;
	world_at(&f->world, 100 * MS, close_every_connection);
	acquire(f, 2000);
}

/* The server was restarted: whoever was blocked there is forgotten, and so is the lock. */
static void a_restart_during_the_wait(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 700 * MS});
	world_at(&f->world, 700 * MS, stop_holding_and_cut);
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_true(server_holds_lock(f));
}

/* Once the server's clock jumps, its own timeouts mean nothing: the deadline is ours. */
static void server_jumps_ahead(struct world *world)
{
	world->ahead_us[0] += INT64_C(3600) * S;
}

static void server_jumps_back(struct world *world)
{
	world->ahead_us[0] -= INT64_C(3600) * S;
}

static void a_jump_of_the_servers_clock_changes_no_deadline(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 60000);
	key_of_lock(f)->expires = 0;
	world_at(&f->world, 1 * S, server_jumps_ahead);
	assert_int_equal(acquire(f, 4000), RL_NO);
	assert_in_range(f->world.now - began, 4 * S, 4 * S + 50 * MS);
	began = f->world.now;
	world_at(&f->world, 1 * S, server_jumps_back);
	assert_int_equal(acquire(f, 4000), RL_NO);
	assert_in_range(f->world.now - began, 4 * S, 4 * S + 50 * MS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_waiting, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_wait_raises_no_flag_and_never_blocks),
		TEST(a_free_lock_is_taken_at_once),
		TEST(the_first_waiter_is_served_as_the_holder_releases),
		TEST(the_last_try_is_made_at_the_deadline),
		TEST(the_same_where_client_is_forbidden),
		TEST(a_delete_just_before_the_deadline_is_noticed_by_the_last_try),
		TEST(a_wake_up_at_the_very_deadline_is_not_lost),
		TEST(while_a_holder_renews_a_waiter_sends_little),
		TEST(a_release_after_a_long_time_still_wakes),
		TEST(while_a_holder_renews_a_short_lease_a_waiter_sends_little),
		TEST(under_a_second_one_connection_is_enough),
		TEST(a_holder_that_dies_is_noticed_as_its_lease_ends),
		TEST(a_lease_that_ends_soon_is_met_exactly),
		TEST(a_lock_that_somebody_deletes_is_noticed_within_about_a_second),
		TEST(a_flush_is_noticed_within_about_a_second),
		TEST(a_reservation_that_nobody_claims_costs_little),
		TEST(a_reservation_for_nobody_is_taken_by_a_newcomer),
		TEST(a_reservation_for_somebody_keeps_a_newcomer_out),
		TEST(who_waits_names_the_wake_list_at_once),
		TEST(a_server_that_asks_for_the_wake_list_for_ever),
		TEST(a_blocked_connection_that_breaks_is_replaced),
		TEST(a_server_that_is_gone_during_the_wait_ends_it_after_retry_for),
		TEST(a_blocked_connection_that_is_silently_dead_does_not_matter),
		TEST(an_early_nil_blocks_again),
		TEST(client_unblock_blocks_again),
		TEST(an_answer_to_blpop_that_is_none),
		TEST(an_error_instead_of_blocking_that_passes),
		TEST(an_error_instead_of_blocking_that_lasts),
		TEST(without_the_permission_to_block_it_polls),
		TEST(polling_is_not_busy),
		TEST(without_a_second_connection_it_blocks_for_a_second_at_a_time),
		TEST(a_poke_whose_script_is_unknown_is_sent_whole),
		TEST(pokes_that_are_never_answered_do_not_end_the_wait),
		TEST(pokes_that_are_answered_with_an_error_or_nonsense),
		TEST(a_lease_that_seems_to_last_for_ever),
		TEST(an_exception_of_a_signal_handler_ends_the_wait_at_once),
		TEST(who_is_interrupted_as_it_is_woken_passes_the_wake_up_on),
		TEST(handlers_run_every_tenth_of_a_second_while_we_wait),
		TEST(handlers_run_while_we_poll_as_well),
		TEST(a_handler_may_use_another_lock),
		TEST(a_handler_may_use_another_lock_while_an_answer_is_outstanding),
		TEST(a_call_can_be_interrupted_while_an_answer_is_outstanding),
		TEST(a_call_with_a_chosen_token_that_is_interrupted_leaves_nothing_locked),
		TEST(an_interrupted_chosen_token_without_an_answer),
		TEST(a_call_can_be_interrupted_while_it_connects),
		TEST(a_call_can_be_interrupted_between_two_tries),
		TEST(a_call_can_be_interrupted_between_two_repeats),
		TEST(a_signal_is_no_error),
		TEST(leaving_the_queue_stays_within_the_budget),
		TEST(without_memory_to_block_the_core_does_not_spin),
		TEST(a_restart_during_the_wait),
		TEST(a_jump_of_the_servers_clock_changes_no_deadline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
