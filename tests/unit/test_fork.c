/* A forked child owns nothing of its parent's, says nothing on its parent's connections, and goes on by itself. */
#include "fixture.h"

enum { CHILD = 200 };

/* What the handler of the one signal of the test does. */
static bool fork_once(struct world *world)
{
	if (world->signal_at == 0) {
		world->process = CHILD;
	}
	return false;
}

/* The child throws: for instance it calls exit() in the handler. */
static bool fork_and_stop_the_child(struct world *world)
{
	bool parent = world->process != CHILD;

	if (world->signal_at != 0) {
		return false;
	}
	world->process = CHILD;
	return parent;
}

/* Commands that the child has sent. */
static int count_of_child(const fixture *f)
{
	int count = 0;

	for (int i = 0; i < f->world.sent_count; i++) {
		count += f->world.sent[i].process == CHILD;
	}
	return count;
}

/* No command of the child has any of the tokens that its parent sent. */
static void assert_child_names_no_token_of_its_parent(const fixture *f)
{
	for (int i = 0; i < f->world.sent_count; i++) {
		const world_sent *parents = sent(f, i);

		if (parents->process == CHILD || parents->command.script == NULL) {
			continue;
		}
		for (int j = 0; j < f->world.sent_count; j++) {
			const world_sent *childs = sent(f, j);

			for (int k = 0; childs->process == CHILD && k < childs->command.argument_count; k++) {
				assert_false(childs->command.arguments[k].length == RL_TOKEN_LENGTH
					&& rl_slice_equal(childs->command.arguments[k], parents->command.arguments[0]));
			}
		}
	}
}

static void a_child_holds_nothing(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	f->world.process = CHILD;
	assert_false(is_held(f));
	assert_int_equal(rl_lock_remaining(&f->lock, &f->world.client), 0);
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	/* Asking changed nothing: the parent goes on as before. */
	f->world.process = 100;
	assert_true(is_held(f));
	assert_true(rl_lock_owes_release(&f->lock, &f->world.client));
	assert_int_equal(release(f), RL_OK);
}

static void a_child_releases_and_renews_nothing(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	f->world.process = CHILD;
	assert_int_equal(renew(f, 60000), RL_NO);
	assert_int_equal(release(f), RL_NO);
	assert_int_equal(f->world.sent_count, 1);
	assert_true(server_holds(f, token_sent(f, 0)));
}

static void a_child_that_ends_sends_nothing(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	f->world.process = CHILD;
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.sent_count, 1);
	assert_true(server_holds(f, token_sent(f, 0)));
}

static void a_child_does_not_release_what_its_parent_left_unanswered(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	f->world.process = CHILD;
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(release(f), RL_NO);
	assert_int_equal(count_of_child(f), 0);
}

static void a_child_acquires_for_itself(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	nobody_holds(f);
	f->world.process = CHILD;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(is_held(f));
	assert_int_equal(sent(f, 2)->command.argument_count, 2);
	assert_child_names_no_token_of_its_parent(f);
	/* On a connection of its own. */
	assert_int_equal(sent(f, 2)->connection, 2);
	assert_int_equal(release(f), RL_OK);
}

static void a_child_is_locked_out_by_its_parent(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	f->world.process = CHILD;
	assert_int_equal(acquire(f, 0), RL_NO);
	assert_true(server_holds(f, token_sent(f, 0)));
}

static void a_fork_while_an_answer_is_outstanding(void **state)
{
	fixture *f = *state;

	/* The parent's send runs, and its answer is for the parent. */
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_once;
	assert_int_equal(acquire(f, 0), RL_CONNECTION);
	assert_contains(f->error.message, "forked");
	assert_false(is_held(f));
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	/* Not a word on the connection of the parent: no release behind, nothing parked. */
	assert_int_equal(f->world.sent_count, 1);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 0);
	assert_true(server_holds(f, token_sent(f, 0)));
}

static void a_fork_while_an_answer_is_outstanding_and_there_is_time_left(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.travel_us = WORLD_NEVER});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_once;
	assert_int_equal(acquire(f, 5000), RL_OK);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
	assert_int_equal(count_of_child(f), 1);
	assert_child_names_no_token_of_its_parent(f);
	assert_int_equal(release(f), RL_OK);
}

static void a_fork_while_connecting(void **state)
{
	fixture *f = *state;

	world_will_connect(&f->world, (world_connect_plan) {.delay_us = 500 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_once;
	assert_int_equal(acquire(f, 5000), RL_OK);
	assert_true(is_held(f));
	assert_int_equal(f->world.connection_count, 2);
	assert_int_equal(release(f), RL_OK);
}

static void a_fork_after_a_lost_answer(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_once;
	acquire(f, 5000);
	assert_child_names_no_token_of_its_parent(f);
	assert_true(server_holds(f, token_sent(f, 0)));
}

/* Between two tries to reach a server that is not there yet. */
static void a_fork_between_two_tries(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 12; i++) {
		world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	}
	f->world.signal_at = f->world.now + 100 * MS;
	f->world.interrupted = fork_once;
	assert_int_equal(acquire(f, 20000), RL_OK);
	assert_int_equal(f->world.process, CHILD);
	assert_true(server_holds_lock(f));
	assert_true(is_held(f));
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void a_fork_between_two_repeats(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 4; i++) {
		world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .travel_us = WORLD_NEVER});
	}
	f->world.signal_at = f->world.now + 1 * MS;
	f->world.interrupted = fork_once;
	assert_int_equal(acquire(f, 20000), RL_OK);
	assert_int_equal(f->world.process, CHILD);
	assert_child_names_no_token_of_its_parent(f);
	assert_true(server_holds_lock(f));
	assert_true(is_held(f));
}

static void a_fork_in_the_queue(void **state)
{
	fixture *f = *state;

	held_by_another(f, 3000);
	f->world.signal_at = f->world.now + 500 * MS;
	f->world.interrupted = fork_once;
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_int_equal(f->world.process, CHILD);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
	assert_child_names_no_token_of_its_parent(f);
	/* The parent still has its place. */
	assert_int_equal(f->world.server->blocked_count, 1);
	assert_int_equal(release(f), RL_OK);
}

/* The child must not say anything on the connection that keeps its parent's place, not even that it hangs up. */
static void a_fork_during_the_last_try(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.answer_us = 500 * MS});
	f->world.signal_at = f->world.now + 600 * MS;
	f->world.interrupted = fork_once;
	assert_int_not_equal(acquire(f, 550), RL_OK);
	assert_int_equal(f->world.process, CHILD);
	assert_false(is_held(f));
	/* The parent still has its place, until it gives it up itself. */
	assert_int_equal(f->world.server->blocked_count, 1);
}

/* The place in the queue is kept during a try, and then belongs to the parent. */
static void a_fork_during_a_try_in_between(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {0});
	/* The poke meets a reservation that nobody will claim, so the next try is made without being woken. */
	world_will(&f->world, (world_plan) {.reply = "*2\r\n:1\r\n:100\r\n"});
	world_will(&f->world, (world_plan) {.answer_us = 500 * MS});
	f->world.signal_at = f->world.now + 1300 * MS;
	f->world.interrupted = fork_once;
	assert_int_equal(acquire(f, 5000), RL_NO);
	assert_int_equal(f->world.process, CHILD);
	assert_false(is_held(f));
	/* The parent still has its place. */
	assert_int_equal(f->world.server->blocked_count, 1);
	assert_child_names_no_token_of_its_parent(f);
}

/* A wake-up is for the process that was woken. */
static void a_fork_between_the_wake_up_and_the_claim(void **state)
{
	fixture *f = *state;

	held_by_another(f, 500);
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.reply = "*2\r\n$1\r\nk\r\n$4\r\n4711\r\n", .answer_us = 100 * MS});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	f->world.signal_at = f->world.now + 300 * MS;
	f->world.interrupted = fork_once;
	acquire(f, 5000);
	assert_int_equal(f->world.process, CHILD);
	for (int i = 0; i < f->world.sent_count; i++) {
		if (sent(f, i)->process == CHILD && world_is(sent(f, i), RL_SCRIPT_ACQUIRE)) {
			assert_false(rl_slice_equal(sent(f, i)->command.arguments[4], rl_slice_text("handoff:4711")));
		}
	}
}

static void a_fork_while_polling(void **state)
{
	fixture *f = *state;

	f->world.server->cannot_block = true;
	held_by_another(f, 3000);
	f->world.signal_at = f->world.now + 500 * MS;
	f->world.interrupted = fork_once;
	assert_int_equal(acquire(f, 10000), RL_OK);
	assert_int_equal(f->world.process, CHILD);
	assert_true(is_held(f));
	assert_int_equal(release(f), RL_OK);
}

static void a_fork_during_a_renewal(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.answer_us = 500 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_once;
	assert_int_not_equal(renew(f, 60000), RL_OK);
	assert_false(is_held(f));
	assert_int_equal(count_of_child(f), 0);
}

static void a_fork_during_a_release(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.travel_us = 500 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_once;
	assert_int_not_equal(release(f), RL_OK);
	assert_int_equal(count_of_child(f), 0);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 0);
}

/* The hook said that the call must end now: it must, in the child as well. */
static void a_child_that_throws_in_the_handler_ends_the_call(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.travel_us = WORLD_NEVER});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_and_stop_the_child;
	assert_int_equal(acquire(f, 5000), RL_INTERRUPTED);
	assert_int_equal(count_of_child(f), 0);
	assert_false(is_held(f));
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 0);
}

static void a_child_that_throws_while_connecting_ends_the_call(void **state)
{
	fixture *f = *state;

	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_HANGING});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_and_stop_the_child;
	assert_int_equal(acquire(f, 5000), RL_INTERRUPTED);
	assert_int_equal(f->world.connection_count, 1);
}

static void a_child_that_throws_in_the_queue_ends_the_call(void **state)
{
	fixture *f = *state;

	held_by_another(f, 60000);
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_and_stop_the_child;
	assert_int_equal(acquire(f, 5000), RL_INTERRUPTED);
	assert_int_equal(count_of_child(f), 0);
	assert_int_equal(f->world.server->blocked_count, 1);
}

static void a_child_that_throws_while_a_chosen_token_is_outstanding(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.answer_us = 500 * MS});
	f->world.signal_at = f->world.now + 50 * MS;
	f->world.interrupted = fork_and_stop_the_child;
	assert_int_equal(acquire_chosen(f, 5000, "worker"), RL_INTERRUPTED);
	assert_int_equal(count_of_child(f), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_child_holds_nothing),
		TEST(a_child_releases_and_renews_nothing),
		TEST(a_child_that_ends_sends_nothing),
		TEST(a_child_does_not_release_what_its_parent_left_unanswered),
		TEST(a_child_acquires_for_itself),
		TEST(a_child_is_locked_out_by_its_parent),
		TEST(a_fork_while_an_answer_is_outstanding),
		TEST(a_fork_while_an_answer_is_outstanding_and_there_is_time_left),
		TEST(a_fork_while_connecting),
		TEST(a_fork_after_a_lost_answer),
		TEST(a_fork_between_two_tries),
		TEST(a_fork_between_two_repeats),
		TEST(a_fork_in_the_queue),
		TEST(a_fork_during_the_last_try),
		TEST(a_fork_during_a_try_in_between),
		TEST(a_fork_between_the_wake_up_and_the_claim),
		TEST(a_fork_while_polling),
		TEST(a_fork_during_a_renewal),
		TEST(a_fork_during_a_release),
		TEST(a_child_that_throws_in_the_handler_ends_the_call),
		TEST(a_child_that_throws_while_connecting_ends_the_call),
		TEST(a_child_that_throws_in_the_queue_ends_the_call),
		TEST(a_child_that_throws_while_a_chosen_token_is_outstanding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
