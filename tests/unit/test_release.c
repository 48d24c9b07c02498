/* Giving a lock back: at once, after lost replies, by token, by force, and without waiting for the answer. */
#include "fixture.h"

static bool stop_at_once(struct world *world)
{
	(void) world;
	return true;
}

static void it_is_one_round_trip(void **state)
{
	fixture *f = *state;
	const model_command *command;

	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(f->world.sent_count, 2);
	command = &sent(f, 1)->command;
	assert_true(world_is(sent(f, 1), RL_SCRIPT_RELEASE));
	assert_int_equal(command->form, RL_BY_HASH);
	assert_int_equal(command->key_count, 4);
	assert_slice_equal(command->keys[0], "redislock:job");
	assert_slice_equal(command->keys[3], "{redislock:job}:redislock:wake");
	assert_true(rl_slice_equal(command->arguments[0], token_sent(f, 0)));
	/* A random token is never used twice, so there is no fence to compare. */
	assert_int_equal(command->argument_count, 1);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_false(is_held(f));
	assert_null(f->lock.token);
	/* The fence stays: of the last acquisition. */
	assert_true(f->lock.fence > 0);
}

static void it_is_idempotent(void **state)
{
	fixture *f = *state;

	assert_int_equal(release(f), RL_NO);
	assert_int_equal(f->world.sent_count, 0);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(release(f), RL_NO);
	assert_int_equal(release(f), RL_NO);
	assert_int_equal(f->world.sent_count, 2);
}

static void a_lock_that_another_has_taken_is_not_touched(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 31 * S);
	held_by_another(f, 5000);
	assert_int_equal(release(f), RL_NO);
	assert_true(server_holds(f, rl_slice_text("another")));
	assert_null(f->lock.token);
}

static void a_lock_whose_lease_is_over_by_our_clock_is_still_given_back(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 29800 * MS);
	assert_false(is_held(f));
	assert_true(server_holds_lock(f));
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void a_chosen_token_is_released_by_its_fence(void **state)
{
	fixture *f = *state;
	char fence[RL_NUMBER_SIZE];

	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
	snprintf(fence, sizeof(fence), "%lld", (long long) f->lock.fence);
	assert_int_equal(release(f), RL_OK);
	assert_slice_equal(sent(f, 1)->command.arguments[1], fence);
}

static void a_late_release_does_not_free_a_later_acquisition_with_the_same_token(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
	world_will(&f->world, (world_plan) {.travel_us = 5 * S});
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
	world_pass(&f->world, 10 * S);
	assert_true(sent(f, 1)->command.ran);
	assert_int_equal(sent(f, 1)->command.verdict, 0);
	assert_true(server_holds(f, rl_slice_text("worker")));
	assert_true(is_held(f));
}

/* (e) executed, answer lost, nobody came after us: the fence still stands at ours. */
static void a_lost_answer_and_nobody_came_after_us(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(sent(f, 1)->command.verdict, 1);
	assert_int_equal(sent(f, 2)->command.verdict, 0);
	assert_null(f->lock.token);
	/* The first send is not closed, so that a release that has not arrived yet still arrives. */
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 1);
}

/* (e) not executed, answer lost. */
static void a_release_that_got_lost_itself_is_repeated(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

/* (e) executed, answer lost, and somebody else has acquired in between. */
static void a_lost_answer_and_somebody_came_after_us(void **state)
{
	fixture *f = *state;
	rl_lock other;

	rl_lock_init(&other, f->world.client.prefix, rl_slice_text("job"), 30000, &f->error);
	assert_int_equal(acquire(f, 0), RL_OK);
	/* The repeat is so slow that another client gets in before it. */
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	world_will(&f->world, (world_plan) {.travel_us = 500 * MS});
	key_of_lock(f)->fence++;
	assert_int_equal(release(f), RL_UNCERTAIN);
	assert_int_equal(f->error.status, RL_UNCERTAIN);
	assert_contains(f->error.message, "twice");
	assert_false(is_held(f));
	assert_null(f->lock.token);
	assert_int_equal(release(f), RL_NO);
	rl_lock_free(&other);
}

static void a_lost_answer_and_no_fence_is_stored(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	key_of_lock(f)->fence = 0;
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(release(f), RL_UNCERTAIN);
}

static void a_lost_answer_and_our_lease_is_over(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 29 * S);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	/* The second answer comes when the lease is over: it may have ended by itself. */
	assert_int_equal(release(f), RL_UNCERTAIN);
}

static void a_lost_answer_of_a_chosen_token(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	assert_int_equal(release(f), RL_OK);
}

static void without_any_answer_nobody_may_rely_on_the_lock(void **state)
{
	fixture *f = *state;
	int64_t began;

	assert_int_equal(acquire(f, 0), RL_OK);
	began = f->world.now;
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	assert_int_equal(release(f), RL_UNCERTAIN);
	assert_int_equal(f->world.now, began + 2 * S);
	assert_false(is_held(f));
	assert_int_equal(rl_lock_remaining(&f->lock, &f->world.client), 0);
	assert_int_equal(renew(f, 1000), RL_NO);
	/* The token is kept, to try again. */
	assert_true(rl_lock_owes_release(&f->lock, &f->world.client));
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void a_server_that_cannot_be_reached_leaves_the_lease_as_it_is(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_close_idle(&f->world);
	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	assert_int_equal(release(f), RL_CONNECTION);
	/* Nothing was sent: it is still ours. */
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
	assert_int_equal(release(f), RL_OK);
}

static void an_error_of_the_server_leaves_the_lease_as_it_is(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.reply = "-NOPERM this user has no permissions\r\n"});
	assert_int_equal(release(f), RL_SERVER);
	assert_string_equal(f->error.code, "NOPERM");
	assert_true(is_held(f));
	assert_int_equal(release(f), RL_OK);
}

/* The release was sent, and may have run: whoever is told that the lock is held would be told wrongly. */
static void an_answer_that_is_none_means_that_nobody_may_rely_on_the_lock(void **state)
{
	static const char *const wrong[] = {"+OK\r\n", "*0\r\n", "*1\r\n:2\r\n", "*1\r\n$1\r\nx\r\n", "HTTP/1.1 400\r\n",
		"$-1\r\n"};
	fixture *f = *state;

	for (int i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		world_will(&f->world, (world_plan) {.reply = wrong[i], .run_too = true});
		assert_int_equal(release(f), RL_SERVER);
		assert_int_equal(world_count(&f->world, WORLD_IDLE), 0);
		assert_false(is_held(f));
		assert_int_equal(renew(f, 30000), RL_NO);
		release(f);
		world_close_idle(&f->world);
	}
}

static void a_release_that_was_interrupted_means_that_nobody_may_rely_on_the_lock(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.travel_us = 200 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(release(f), RL_INTERRUPTED);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 1);
	world_pass(&f->world, 1 * S);
	assert_int_equal(sent(f, 1)->command.verdict, 1);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_false(is_held(f));
}

static void a_release_that_was_interrupted_before_it_was_sent_changes_nothing(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_close_idle(&f->world);
	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_HANGING});
	f->world.interrupted = stop_at_once;
	assert_int_equal(release(f), RL_INTERRUPTED);
	assert_int_equal(f->world.sent_count, 1);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
}

static void readonly_on_an_old_connection_is_tried_on_a_new_one(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.reply = "-READONLY You can't write against a read only replica.\r\n"});
	assert_int_equal(release(f), RL_OK);
	assert_int_not_equal(sent(f, 2)->connection, sent(f, 1)->connection);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void an_unknown_script_is_sent_whole(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	f->world.server->unknown_scripts = ~0u;
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(f->world.sent_count, 3);
	assert_int_equal(sent(f, 2)->command.form, RL_BY_TEXT);
}

/* However many sends of acquire were never answered, one call has one budget. */
static void giving_back_many_unanswered_sends_stays_within_the_budget(void **state)
{
	fixture *f = *state;
	int64_t began;

	for (int i = 0; i < 3; i++) {
		world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
		world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
		assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	}
	assert_int_equal(f->lock.unanswered_count, 6);
	for (int i = 0; i < 8; i++) {
		world_will(&f->world, (world_plan) {.answer_us = 900 * MS});
	}
	began = f->world.now;
	release(f);
	assert_in_range(f->world.now - began, 0, 2 * S);
}

static void by_token(void **state)
{
	fixture *f = *state;
	rl_slice token = rl_slice_text("elsewhere");

	assert_int_equal(acquire_chosen(f, 0, "elsewhere"), RL_OK);
	assert_int_equal(rl_token_release(&f->world.client, &f->lock.keys, rl_slice_text("nobody"), &f->error), RL_NO);
	assert_true(server_holds(f, token));
	assert_int_equal(rl_token_release(&f->world.client, &f->lock.keys, token, &f->error), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_int_equal(sent(f, 2)->command.argument_count, 1);
	assert_int_equal(rl_token_release(&f->world.client, &f->lock.keys, token, &f->error), RL_NO);
}

static void by_token_after_a_lost_answer_nothing_local_can_decide(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire_chosen(f, 0, "elsewhere"), RL_OK);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(rl_token_release(&f->world.client, &f->lock.keys, rl_slice_text("elsewhere"), &f->error),
		RL_UNCERTAIN);
	assert_int_equal(f->error.status, RL_UNCERTAIN);
	assert_int_equal(acquire_chosen(f, 0, "elsewhere"), RL_OK);
	/* Not executed the first time: then the second answer is clear. */
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	assert_int_equal(rl_token_release(&f->world.client, &f->lock.keys, rl_slice_text("elsewhere"), &f->error), RL_OK);
}

static void by_force(void **state)
{
	fixture *f = *state;

	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_NO);
	held_by_another(f, 0);
	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_OK);
	assert_int_equal(sent(f, 1)->command.key_count, 4);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

/* A second one could hit the next holder. */
static void by_force_is_never_repeated(void **state)
{
	fixture *f = *state;

	held_by_another(f, 0);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_UNCERTAIN);
	assert_int_equal(f->world.sent_count, 1);
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_UNCERTAIN);
	assert_int_equal(f->world.sent_count, 2);
	world_will(&f->world, (world_plan) {.reply = "*1\r\n:7\r\n"});
	assert_int_equal(rl_force_release(&f->world.client, &f->lock.keys, &f->error), RL_SERVER);
}

static void abandoning_writes_and_does_not_wait(void **state)
{
	fixture *f = *state;
	int64_t began;

	assert_int_equal(acquire(f, 0), RL_OK);
	began = f->world.now;
	world_will(&f->world, (world_plan) {.travel_us = 100 * MS, .answer_us = 100 * MS});
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.now, began);
	assert_int_equal(f->world.sent_count, 2);
	/* Whole: nobody will be there to send it again. */
	assert_int_equal(sent(f, 1)->command.form, RL_BY_TEXT);
	assert_int_equal(sent(f, 1)->connection, 0);
	assert_int_equal(world_count(&f->world, WORLD_IDLE), 1);
	assert_false(is_held(f));
	assert_null(f->lock.token);
	/* The connection can be used at once; the answer is dropped when it comes. */
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(sent(f, 2)->connection, 0);
	assert_true(is_held(f));
}

static void abandoning_what_is_not_held_sends_nothing(void **state)
{
	fixture *f = *state;

	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.sent_count, 2);
}

static void abandoning_a_chosen_token_compares_the_fence(void **state)
{
	fixture *f = *state;
	char fence[RL_NUMBER_SIZE];

	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
	snprintf(fence, sizeof(fence), "%lld", (long long) f->lock.fence);
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_slice_equal(sent(f, 1)->command.arguments[1], fence);
}

static void abandoning_connects_if_it_must_within_one_timeout(void **state)
{
	fixture *f = *state;
	int64_t began;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_close_idle(&f->world);
	world_will_connect(&f->world, (world_connect_plan) {.delay_us = 10 * MS});
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.sent_count, 2);
	world_pass(&f->world, 0);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_int_equal(acquire(f, 0), RL_OK);
	world_close_idle(&f->world);
	f->world.client.connect_timeout_us = 60 * S;
	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_HANGING});
	began = f->world.now;
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.now, began + 1 * S);
	assert_null(f->lock.token);
}

/* 100 locks are held as Redis goes: only the first destructor waits. */
static void abandoning_many_waits_once_for_a_server_that_is_gone(void **state)
{
	fixture *f = *state;
	rl_lock locks[3];
	int64_t began;

	for (int i = 0; i < COUNT(locks); i++) {
		char name[20];

		snprintf(name, sizeof(name), "lock%d", i);
		rl_lock_init(&locks[i], f->world.client.prefix, rl_slice_text(name), 30000, &f->error);
		assert_int_equal(rl_lock_acquire(&locks[i], &f->world.client, 0, NULL, &f->error), RL_OK);
	}
	world_close_idle(&f->world);
	for (int i = 0; i < COUNT(locks); i++) {
		world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_HANGING});
	}
	began = f->world.now;
	for (int i = 0; i < COUNT(locks); i++) {
		rl_lock_abandon(&locks[i], &f->world.client);
		assert_null(locks[i].token);
		rl_lock_free(&locks[i]);
	}
	assert_int_equal(f->world.now, began + 1 * S);
	assert_int_equal(f->world.connection_count, 2);
}

static void a_server_that_is_back_gets_its_releases_again(void **state)
{
	fixture *f = *state;

	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	assert_int_equal(acquire(f, 0), RL_CONNECTION);
	assert_true(f->world.client.endpoint->unreachable_until > f->world.now);
	assert_int_equal(acquire(f, 0), RL_OK);
	world_close_idle(&f->world);
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.sent_count, 2);
}

/* The connect did not fail: code of the application ended the call. */
static void an_interrupted_connect_says_nothing_about_the_server(void **state)
{
	fixture *f = *state;
	rl_lock other;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_close_idle(&f->world);
	rl_lock_init(&other, f->world.client.prefix, rl_slice_text("other"), 30000, &f->error);
	world_will_connect(&f->world, (world_connect_plan) {.delay_us = 500 * MS});
	f->world.interrupted = stop_at_once;
	assert_int_equal(rl_lock_acquire(&other, &f->world.client, 1000, NULL, &f->error), RL_INTERRUPTED);
	rl_lock_free(&other);
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.sent_count, 2);
	world_pass(&f->world, 0);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

/* A destructor runs no code of the application: it may be running because of it. */
static void abandoning_is_not_interrupted(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_close_idle(&f->world);
	world_will_connect(&f->world, (world_connect_plan) {.delay_us = 500 * MS});
	f->world.signal_at = f->world.now + 5 * MS;
	f->world.signal_every_us = 5 * MS;
	f->world.interrupted = stop_at_once;
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.interruptions, 0);
	assert_int_equal(f->world.sent_count, 2);
}

static void forgetting_tells_nobody(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	rl_lock_forget(&f->lock);
	assert_false(is_held(f));
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	assert_int_equal(release(f), RL_NO);
	assert_int_equal(f->world.sent_count, 1);
	assert_true(server_holds(f, token_sent(f, 0)));
}

static void what_a_token_may_be(void **state)
{
	char large[RL_TOKEN_MAX_FOREIGN + 1];

	(void) state;
	memset(large, 't', sizeof(large));
	assert_null(rl_token_problem(rl_slice_text("x"), RL_TOKEN_MAX_CHOSEN));
	assert_null(rl_token_problem(rl_slice_make("\0", 1), RL_TOKEN_MAX_CHOSEN));
	assert_null(rl_token_problem(rl_slice_text("handoff"), RL_TOKEN_MAX_CHOSEN));
	assert_null(rl_token_problem(rl_slice_text("Handoff:1"), RL_TOKEN_MAX_CHOSEN));
	assert_null(rl_token_problem(rl_slice_make(large, 255), RL_TOKEN_MAX_CHOSEN));
	assert_null(rl_token_problem(rl_slice_make(large, 65535), RL_TOKEN_MAX_FOREIGN));
	assert_contains(rl_token_problem(rl_slice_text(""), RL_TOKEN_MAX_CHOSEN), "empty");
	assert_contains(rl_token_problem(rl_slice_make(large, 256), RL_TOKEN_MAX_CHOSEN), "255");
	assert_contains(rl_token_problem(rl_slice_make(large, 65536), RL_TOKEN_MAX_FOREIGN), "65535");
	assert_contains(rl_token_problem(rl_slice_text("handoff:"), RL_TOKEN_MAX_CHOSEN), "handoff:");
	assert_contains(rl_token_problem(rl_slice_text("handoff:17"), RL_TOKEN_MAX_FOREIGN), "handoff:");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_one_round_trip),
		TEST(it_is_idempotent),
		TEST(a_lock_that_another_has_taken_is_not_touched),
		TEST(a_lock_whose_lease_is_over_by_our_clock_is_still_given_back),
		TEST(a_chosen_token_is_released_by_its_fence),
		TEST(a_late_release_does_not_free_a_later_acquisition_with_the_same_token),
		TEST(a_lost_answer_and_nobody_came_after_us),
		TEST(a_release_that_got_lost_itself_is_repeated),
		TEST(a_lost_answer_and_somebody_came_after_us),
		TEST(a_lost_answer_and_no_fence_is_stored),
		TEST(a_lost_answer_and_our_lease_is_over),
		TEST(a_lost_answer_of_a_chosen_token),
		TEST(without_any_answer_nobody_may_rely_on_the_lock),
		TEST(a_server_that_cannot_be_reached_leaves_the_lease_as_it_is),
		TEST(an_error_of_the_server_leaves_the_lease_as_it_is),
		TEST(an_answer_that_is_none_means_that_nobody_may_rely_on_the_lock),
		TEST(a_release_that_was_interrupted_means_that_nobody_may_rely_on_the_lock),
		TEST(a_release_that_was_interrupted_before_it_was_sent_changes_nothing),
		TEST(readonly_on_an_old_connection_is_tried_on_a_new_one),
		TEST(an_unknown_script_is_sent_whole),
		TEST(giving_back_many_unanswered_sends_stays_within_the_budget),
		TEST(by_token),
		TEST(by_token_after_a_lost_answer_nothing_local_can_decide),
		TEST(by_force),
		TEST(by_force_is_never_repeated),
		TEST(abandoning_writes_and_does_not_wait),
		TEST(abandoning_what_is_not_held_sends_nothing),
		TEST(abandoning_a_chosen_token_compares_the_fence),
		TEST(abandoning_connects_if_it_must_within_one_timeout),
		TEST(abandoning_many_waits_once_for_a_server_that_is_gone),
		TEST(a_server_that_is_back_gets_its_releases_again),
		TEST(an_interrupted_connect_says_nothing_about_the_server),
		TEST(abandoning_is_not_interrupted),
		TEST(forgetting_tells_nobody),
		TEST(what_a_token_may_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
