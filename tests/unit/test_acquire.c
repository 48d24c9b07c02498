/* Taking a lock: what is sent, and what each answer and each failure leads to. */
#include "fixture.h"

static void it_is_one_command_and_one_round_trip(void **state)
{
	fixture *f = *state;
	const model_command *command;

	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(f->world.sent_count, 1);
	assert_true(world_is(sent(f, 0), RL_SCRIPT_ACQUIRE));
	command = &sent(f, 0)->command;
	assert_int_equal(command->form, RL_BY_HASH);
	assert_int_equal(command->key_count, 2);
	assert_slice_equal(command->keys[0], "redislock:job");
	assert_slice_equal(command->keys[1], "{redislock:job}:redislock:fence");
	/* No wake list, a retention of 7 days, no wait flag, no reservation, no earlier token: they are left out. */
	assert_int_equal(command->argument_count, 2);
	assert_int_equal(command->arguments[0].length, RL_TOKEN_LENGTH);
	for (size_t i = 0; i < RL_TOKEN_LENGTH; i++) {
		assert_non_null(strchr("0123456789abcdef", command->arguments[0].data[i]));
	}
	assert_slice_equal(command->arguments[1], "30000");
	assert_int_equal(world_count(&f->world, WORLD_IDLE), 1);
}

static void the_lock_is_ours_afterwards(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_will(&f->world, (world_plan) {.travel_us = 3 * MS, .answer_us = 4 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
	assert_true(f->lock.fence > 0);
	assert_true(f->lock.fence == key_of_lock(f)->fence);
	assert_false(f->lock.chosen);
	assert_false(f->lock.uncertain);
	assert_int_equal(f->lock.unanswered_count, 0);
	assert_true(rl_lock_owes_release(&f->lock, &f->world.client));
	/* From before it was sent, less the drift. */
	assert_int_equal(f->lock.valid_until, began + 29698 * MS);
	assert_int_equal(rl_lock_remaining(&f->lock, &f->world.client), 29691 * MS);
	world_pass(&f->world, 29691 * MS - 1);
	assert_true(is_held(f));
	world_pass(&f->world, 1);
	assert_false(is_held(f));
	assert_int_equal(rl_lock_remaining(&f->lock, &f->world.client), 0);
	/* The server has it a little longer, never shorter. */
	assert_true(server_holds_lock(f));
}

static void a_fence_is_kept_for_twice_a_long_lease(void **state)
{
	fixture *f = *state;

	f->lock.lease_ms = INT64_C(2678400000);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_slice_equal(sent(f, 0)->command.arguments[1], "2678400000");
	assert_slice_equal(sent(f, 0)->command.arguments[2], "5356800000");
}

static void another_retention_is_named(void **state)
{
	fixture *f = *state;

	f->world.client.retention_ms = 604800001;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(sent(f, 0)->command.argument_count, 3);
	assert_slice_equal(sent(f, 0)->command.arguments[2], "604800001");
	/* By a call that waits in any case. */
	f->world.client.retention_ms = 604800000;
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(acquire(f, 1000), RL_OK);
	assert_slice_equal(sent(f, 2)->command.arguments[2], "604800000");
}

static void held_by_another_is_no_within_one_round_trip(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	held_by_another(f, 5000);
	world_will(&f->world, (world_plan) {.travel_us = 1 * MS, .answer_us = 1 * MS});
	assert_int_equal(acquire(f, 0), RL_NO);
	assert_int_equal(f->world.sent_count, 1);
	assert_int_equal(f->world.now, began + 2 * MS);
	assert_false(is_held(f));
	assert_null(f->lock.token);
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	/* Who does not wait does not make the holder hand over. */
	assert_int_equal(key_of_lock(f)->wait_flag_expires, 0);
}

static void a_lock_without_a_time_to_live_is_held(void **state)
{
	fixture *f = *state;

	held_by_another(f, 0);
	assert_int_equal(acquire(f, 0), RL_NO);
	assert_true(server_holds(f, rl_slice_text("another")));
}

static void every_acquisition_has_a_token_of_its_own_and_a_larger_fence(void **state)
{
	fixture *f = *state;
	char last_token[RL_TOKEN_LENGTH] = "";
	int64_t last_fence = 0;

	for (int i = 0; i < 50; i++) {
		assert_int_equal(acquire(f, 0), RL_OK);
		assert_true(f->lock.fence > last_fence);
		assert_memory_not_equal(f->lock.token, last_token, RL_TOKEN_LENGTH);
		memcpy(last_token, f->lock.token, RL_TOKEN_LENGTH);
		last_fence = f->lock.fence;
		assert_int_equal(release(f), RL_OK);
	}
	/* All on the one connection. */
	assert_int_equal(f->world.connection_count, 1);
}

/* (c) of the interleavings found by experiment, and the repeat itself. */
static void a_lost_reply_is_repeated_with_the_earlier_token_named(void **state)
{
	fixture *f = *state;
	const world_sent *first, *behind, *repeat;

	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(f->world.sent_count, 3);
	first = sent(f, 0);
	behind = sent(f, 1);
	repeat = sent(f, 2);
	/* Behind the first send its release, whole and on the same connection, which is kept. */
	assert_true(world_is(behind, RL_SCRIPT_RELEASE));
	assert_int_equal(behind->connection, first->connection);
	assert_int_equal(behind->command.form, RL_BY_TEXT);
	assert_true(rl_slice_equal(behind->command.arguments[0], first->command.arguments[0]));
	assert_int_equal(behind->command.argument_count, 1);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 1);
	/* The repeat, on another connection, with another token. */
	assert_true(world_is(repeat, RL_SCRIPT_ACQUIRE));
	assert_int_not_equal(repeat->connection, first->connection);
	assert_false(rl_slice_equal(repeat->command.arguments[0], first->command.arguments[0]));
	assert_int_equal(repeat->command.argument_count, 6);
	assert_true(rl_slice_equal(repeat->command.arguments[5], first->command.arguments[0]));
	assert_true(server_holds_lock(f));
	assert_true(rl_slice_equal(rl_slice_make(f->lock.token, f->lock.token_length), repeat->command.arguments[0]));
	/* The lease counts from the send that won. */
	assert_int_equal(f->lock.valid_until, repeat->at + 29698 * MS);
	assert_false(f->lock.uncertain);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void a_repeat_of_what_was_granted_has_a_larger_fence(void **state)
{
	fixture *f = *state;
	int64_t granted;

	/* The release behind the first send does not get there before the repeat. */
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	world_will(&f->world, (world_plan) {.travel_us = 500 * MS});
	world_will(&f->world, (world_plan) {.answer_us = 10 * MS});
	granted = INT64_C(1700000000000000) + f->world.now;
	assert_int_equal(acquire(f, 0), RL_OK);
	/* The stored one may have been handed out already, if the earlier token came back with an old snapshot. */
	assert_true(f->lock.fence > granted);
	world_pass(&f->world, 2 * S);
	assert_true(server_holds_lock(f));
}

/* (a): the delayed acquire and the release behind it arrive while the user works. */
static void a_late_duplicate_and_its_release_disturb_nobody(void **state)
{
	fixture *f = *state;
	int64_t expires;

	world_will(&f->world, (world_plan) {.travel_us = 5 * S});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(f->world.sent_count, 3);
	expires = key_of_lock(f)->expires;
	world_pass(&f->world, 10 * S);
	assert_true(sent(f, 0)->command.ran);
	assert_int_equal(sent(f, 0)->command.verdict, 0);
	assert_true(sent(f, 1)->command.ran);
	assert_int_equal(sent(f, 1)->command.verdict, 0);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
	assert_int_equal(key_of_lock(f)->expires, expires);
	assert_true(key_of_lock(f)->fence == f->lock.fence);
}

/* (b): a delayed acquire with a short lease arrives after a renewal to a long one. */
static void a_late_duplicate_does_not_shorten_a_renewed_lease(void **state)
{
	fixture *f = *state;

	f->lock.lease_ms = 5000;
	world_will(&f->world, (world_plan) {.travel_us = 4 * S});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(renew(f, 60000), RL_OK);
	world_pass(&f->world, 50 * S);
	assert_true(sent(f, 0)->command.ran);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
}

/* (c): the delayed acquire arrives after the user's release. */
static void a_late_duplicate_after_the_release_is_given_back_by_the_release_behind_it(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.travel_us = 5 * S});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	world_pass(&f->world, 10 * S);
	assert_int_equal(sent(f, 0)->command.verdict, 1);
	assert_int_equal(sent(f, 1)->command.verdict, 1);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void a_connection_that_breaks_after_the_send_is_repeated_as_well(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 1 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	/* Nothing can be written behind it. */
	assert_int_equal(f->world.sent_count, 2);
	assert_true(rl_slice_equal(sent(f, 1)->command.arguments[5], token_sent(f, 0)));
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 0);
	assert_int_equal(world_count(&f->world, WORLD_DROPPED), 1);
	assert_true(server_holds_lock(f));
}

static void without_any_answer_the_outcome_is_unknown(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = 60 * S});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = 60 * S});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = 60 * S});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_int_equal(f->error.status, RL_UNCERTAIN);
	assert_contains(f->error.message, "unknown");
	/* One send, one repeat, two timeouts. */
	assert_int_equal(f->world.now, began + 2 * S);
	assert_int_equal(f->world.sent_count, 4);
	assert_int_equal(f->lock.unanswered_count, 2);
	assert_true(f->lock.uncertain);
	assert_true(rl_lock_owes_release(&f->lock, &f->world.client));
	assert_false(is_held(f));
	assert_null(f->lock.token);
	/* Both arrive late, each with its release behind it. */
	world_pass(&f->world, 120 * S);
	assert_int_equal(sent(f, 0)->command.verdict, 1);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void the_next_acquire_names_what_was_never_answered(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = 10 * S});
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = 10 * S});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(sent(f, 4)->command.argument_count, 7);
	assert_true(rl_slice_equal(sent(f, 4)->command.arguments[5], token_sent(f, 0)));
	assert_true(rl_slice_equal(sent(f, 4)->command.arguments[6], token_sent(f, 2)));
	assert_false(f->lock.uncertain);
}

static void a_release_after_an_unknown_outcome_gives_back_whatever_was_taken(void **state)
{
	fixture *f = *state;

	/* Nothing can be written behind a broken connection. */
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 1 * MS});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 1 * MS});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_true(server_holds(f, token_sent(f, 1)));
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_false(f->lock.uncertain);
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	assert_int_equal(release(f), RL_NO);
}

static void a_release_after_an_unknown_outcome_that_took_nothing_is_no(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_int_equal(release(f), RL_NO);
	assert_false(f->lock.uncertain);
}

static void abandoning_after_an_unknown_outcome_releases_whatever_was_taken(void **state)
{
	fixture *f = *state;
	int before;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 1 * MS});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .answer_us = 1 * MS});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	before = f->world.sent_count;
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.sent_count, before + 2);
	for (int i = before; i < before + 2; i++) {
		assert_true(world_is(sent(f, i), RL_SCRIPT_RELEASE));
		assert_int_equal(sent(f, i)->command.form, RL_BY_TEXT);
	}
	world_pass(&f->world, 1 * S);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
}

static void only_so_many_unanswered_sends_are_remembered(void **state)
{
	fixture *f = *state;

	f->world.client.retry_for_us = 100 * S;
	for (int i = 0; i < 40; i++) {
		world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN, .travel_us = WORLD_NEVER, .answer_us = 1 * MS});
	}
	assert_int_equal(acquire(f, 60000), RL_OK);
	assert_int_equal(f->world.sent_count, 41);
	assert_int_equal(sent(f, 40)->command.argument_count, 5 + RL_MAX_UNANSWERED - 1);
	for (int i = 0; i < RL_MAX_UNANSWERED - 1; i++) {
		assert_true(rl_slice_equal(sent(f, 40)->command.arguments[5 + i],
			token_sent(f, 40 - (RL_MAX_UNANSWERED - 1) + i)));
	}
	assert_true(is_held(f));
	assert_int_equal(release(f), RL_OK);
}

static void a_chosen_token_is_sent_as_it_is(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire_chosen(f, 0, "worker 7"), RL_OK);
	assert_slice_equal(token_sent(f, 0), "worker 7");
	assert_true(f->lock.chosen);
	assert_slice_equal(rl_slice_make(f->lock.token, f->lock.token_length), "worker 7");
	assert_true(server_holds(f, rl_slice_text("worker 7")));
	assert_true(is_held(f));
}

static void the_same_chosen_token_excludes_itself(void **state)
{
	fixture *f = *state;
	rl_lock other;

	rl_lock_init(&other, f->world.client.prefix, rl_slice_text("job"), 30000, &f->error);
	assert_int_equal(acquire_chosen(f, 0, "same"), RL_OK);
	assert_int_equal(rl_lock_acquire(&other, &f->world.client, 0, &(rl_slice) {"same", 4}, &f->error), RL_NO);
	assert_true(is_held(f));
	assert_int_equal(release(f), RL_OK);
	rl_lock_free(&other);
}

static void a_chosen_token_is_never_repeated(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(acquire_chosen(f, 10000, "worker"), RL_UNCERTAIN);
	assert_int_equal(f->world.now, began + 1 * S);
	/* And no release behind it: the token may be in use elsewhere. */
	assert_int_equal(f->world.sent_count, 1);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 1);
	assert_int_equal(f->lock.unanswered_count, 0);
	assert_false(f->lock.uncertain);
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
	assert_int_equal(release(f), RL_NO);
	rl_lock_abandon(&f->lock, &f->world.client);
	assert_int_equal(f->world.sent_count, 1);
	world_pass(&f->world, 1 * S);
	assert_true(server_holds(f, rl_slice_text("worker")));
}

static void a_chosen_token_names_the_random_ones_before_it(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
	assert_int_equal(sent(f, 2)->command.argument_count, 7);
	assert_true(rl_slice_equal(sent(f, 2)->command.arguments[6], token_sent(f, 1)));
}

static void a_grant_after_the_end_of_its_lease_is_given_back(void **state)
{
	fixture *f = *state;

	f->lock.lease_ms = 50;
	world_will(&f->world, (world_plan) {.answer_us = 48 * MS});
	assert_int_equal(acquire(f, 0), RL_LOST);
	assert_int_equal(f->error.status, RL_LOST);
	assert_contains(f->error.message, "0.050 s");
	assert_false(is_held(f));
	assert_null(f->lock.token);
	assert_int_equal(f->world.sent_count, 2);
	assert_true(world_is(sent(f, 1), RL_SCRIPT_RELEASE));
	assert_int_equal(sent(f, 1)->connection, sent(f, 0)->connection);
	assert_int_equal(sent(f, 1)->command.form, RL_BY_TEXT);
	assert_int_equal(sent(f, 1)->command.argument_count, 1);
	assert_int_equal(world_count(&f->world, WORLD_IDLE), 1);
	/* Nobody has seen that release arrive: the token is named by the next send, and given back by release(). */
	assert_true(f->lock.uncertain);
	world_pass(&f->world, 1);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_int_equal(release(f), RL_NO);
	assert_true(rl_slice_equal(sent(f, 2)->command.arguments[0], token_sent(f, 0)));
	assert_false(f->lock.uncertain);
}

static void a_grant_in_the_last_moment_of_its_lease_is_one(void **state)
{
	fixture *f = *state;

	f->lock.lease_ms = 50;
	world_will(&f->world, (world_plan) {.answer_us = 50 * MS - 500 - 2000 - 1});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(is_held(f));
	assert_int_equal(rl_lock_remaining(&f->lock, &f->world.client), 1);
}

static void a_late_grant_of_a_chosen_token_is_given_back_by_its_fence(void **state)
{
	fixture *f = *state;
	char fence[RL_NUMBER_SIZE];

	f->lock.lease_ms = 50;
	world_will(&f->world, (world_plan) {.answer_us = 48 * MS});
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_LOST);
	snprintf(fence, sizeof(fence), "%lld", (long long) key_of_lock(f)->fence);
	assert_slice_equal(sent(f, 1)->command.arguments[1], fence);
}

static void a_late_grant_is_tried_again_within_the_wait(void **state)
{
	fixture *f = *state;

	f->lock.lease_ms = 50;
	world_will(&f->world, (world_plan) {.answer_us = 100 * MS});
	world_will(&f->world, (world_plan) {0});
	world_will(&f->world, (world_plan) {.answer_us = 10 * MS});
	assert_int_equal(acquire(f, 1000), RL_OK);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
}

static void grants_that_are_always_late_end_with_the_wait(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	f->lock.lease_ms = 50;
	for (int i = 0; i < 40; i++) {
		world_will(&f->world, (world_plan) {.answer_us = 200 * MS});
	}
	assert_int_equal(acquire(f, 1000), RL_LOST);
	assert_false(is_held(f));
	assert_in_range(f->world.now - began, 1000 * MS, 3000 * MS);
}

static void an_unknown_script_is_sent_whole_on_the_same_connection(void **state)
{
	fixture *f = *state;

	f->world.server->unknown_scripts = ~0u;
	world_will(&f->world, (world_plan) {.answer_us = 100 * MS});
	world_will(&f->world, (world_plan) {.answer_us = 20 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(f->world.sent_count, 2);
	assert_int_equal(sent(f, 0)->command.form, RL_BY_HASH);
	assert_int_equal(sent(f, 1)->command.form, RL_BY_TEXT);
	assert_int_equal(sent(f, 1)->connection, sent(f, 0)->connection);
	/* The same token: the first send cannot have run. */
	assert_true(rl_slice_equal(token_sent(f, 1), token_sent(f, 0)));
	assert_int_equal(sent(f, 1)->command.argument_count, 2);
	/* The lease counts from the second send. */
	assert_int_equal(f->lock.valid_until, sent(f, 1)->at + 29698 * MS);
	/* It is known from now on. */
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(sent(f, f->world.sent_count - 1)->command.form, RL_BY_HASH);
}

static void a_script_that_is_never_known_is_an_error_of_the_server(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.reply = "-NOSCRIPT No\r\n"});
	world_will(&f->world, (world_plan) {.reply = "-NOSCRIPT No\r\n"});
	assert_int_equal(acquire(f, 1000), RL_SERVER);
	assert_string_equal(f->error.code, "NOSCRIPT");
	assert_int_equal(f->world.sent_count, 2);
}

static void answers_that_no_script_of_ours_gives(void **state)
{
	static const char *const wrong[] = {"+OK\r\n", ":1\r\n", "$1\r\n0\r\n", "$2\r\n-5\r\n", "$0\r\n\r\n",
		"$3\r\nabc\r\n", "$16\r\n9007199254740992\r\n", "$-1\r\n", "*2\r\n:1\r\n:5\r\n", "*3\r\n:1\r\n:5\r\n:-1\r\n", "*-1\r\n", "*0\r\n",
		"*1\r\n:1\r\n", "*1\r\n:0\r\n", "*2\r\n:2\r\n:5\r\n", "*2\r\n:-1\r\n:5\r\n", "*2\r\n:1\r\n$0\r\n\r\n",
		"*2\r\n:1\r\n:0\r\n", "*2\r\n:1\r\n:-5\r\n", "*2\r\n:1\r\n$3\r\nabc\r\n",
		"*2\r\n:1\r\n$16\r\n9007199254740992\r\n", "*2\r\n:1\r\n$-1\r\n", "*2\r\n:1\r\n+7\r\n",
		"*2\r\n:0\r\n$1\r\nx\r\n", "*2\r\n:0\r\n:-2\r\n", "*2\r\n-ERR\r\n:5\r\n", "*2\r\n$-1\r\n:5\r\n"};
	static const char *const garbage[] = {
		"HTTP/1.1 400 Bad Request\r\n", "*1\r\n*1\r\n:1\r\n", "*100\r\n", "\r\n", ":x\r\n"
	};
	fixture *f = *state;

	for (int i = 0; i < COUNT(wrong) + COUNT(garbage); i++) {
		int before = f->world.sent_count;
		const char *reply = i < COUNT(wrong) ? wrong[i] : garbage[i - COUNT(wrong)];

		world_will(&f->world, (world_plan) {.reply = reply, .run_too = true});
		if (acquire(f, 1000) != RL_SERVER) {
			fail_msg("%s", reply);
		}
		assert_int_equal(f->error.status, RL_SERVER);
		assert_true(f->error.message[0] != '\0');
		assert_false(is_held(f));
		/* Once, and the connection is not used again: where its replies begin is in doubt. */
		assert_int_equal(f->world.sent_count, before + 1);
		assert_int_equal(world_count(&f->world, WORLD_IDLE), 0);
		/* It may have run. */
		assert_true(f->lock.uncertain);
		assert_int_equal(release(f), RL_OK);
		assert_int_equal(key_of_lock(f)->holder_length, 0);
		world_close_idle(&f->world);
	}
}

static void errors_that_last_are_told_at_once(void **state)
{
	static const struct {
		const char *reply;
		const char *code;
	} errors[] = {
		{"-OOM command not allowed when used memory > 'maxmemory'.\r\n", "OOM"},
		{"-WRONGTYPE Operation against a key holding the wrong kind of value\r\n", "WRONGTYPE"},
		{"-NOPERM this user has no permissions to run the 'evalsha' command\r\n", "NOPERM"},
		{"-NOAUTH Authentication required.\r\n", "NOAUTH"},
		{"-FENCE the stored fence is not a whole number\r\n", "FENCE"},
		{"-ERR\r\n", "ERR"}
	};
	fixture *f = *state;

	for (int i = 0; i < COUNT(errors); i++) {
		int before = f->world.sent_count;
		int64_t began = f->world.now;

		world_will(&f->world, (world_plan) {.reply = errors[i].reply});
		assert_int_equal(acquire(f, 5000), RL_SERVER);
		assert_string_equal(f->error.code, errors[i].code);
		assert_contains(f->error.message, "unix:///model.sock");
		assert_int_equal(f->world.sent_count, before + 1);
		assert_int_equal(f->world.now, began);
		/* The answer was clear: nothing is owed, and the connection is as good as before. */
		assert_false(f->lock.uncertain);
		assert_int_equal(world_count(&f->world, WORLD_IDLE), 1);
	}
	assert_int_equal(f->world.connection_count, 1);
}

/* The server closes the connection behind it. */
static void a_protocol_error_ends_the_connection(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.reply = "-ERR Protocol error: invalid bulk length\r\n"});
	assert_int_equal(acquire(f, 1000), RL_SERVER);
	assert_int_equal(world_count(&f->world, WORLD_IDLE), 0);
	assert_int_equal(f->world.sent_count, 1);
}

static void errors_that_pass_are_tried_again_within_the_wait(void **state)
{
	static const char *const passing[] = {
		"-LOADING Redis is loading the dataset in memory\r\n", "-BUSY Redis is busy running a script.\r\n",
		"-TRYAGAIN Multiple keys request during rehashing of slot\r\n", "-CLUSTERDOWN The cluster is down\r\n",
		"-MASTERDOWN Link with MASTER is down\r\n", "-READONLY You can't write against a read only replica.\r\n",
		"-ERR max number of clients reached\r\n"
	};
	fixture *f = *state;

	for (int i = 0; i < COUNT(passing); i++) {
		int before = f->world.sent_count;

		world_will(&f->world, (world_plan) {.reply = passing[i]});
		world_will(&f->world, (world_plan) {.reply = passing[i]});
		assert_int_equal(acquire(f, 2000), RL_OK);
		assert_int_equal(f->world.sent_count, before + 3);
		/* Each time on a new connection: the name may lead elsewhere by now. */
		assert_int_not_equal(sent(f, before)->connection, sent(f, before + 1)->connection);
		assert_int_not_equal(sent(f, before + 1)->connection, sent(f, before + 2)->connection);
		assert_int_equal(world_count(&f->world, WORLD_IDLE), 1);
		/* No send that was answered with an error needs to be named. */
		assert_int_equal(sent(f, before + 2)->command.argument_count, 5);
		assert_int_equal(release(f), RL_OK);
		world_close_idle(&f->world);
	}
}

static void an_error_that_passes_is_told_when_there_is_no_wait(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.reply = "-LOADING Redis is loading the dataset in memory\r\n"});
	assert_int_equal(acquire(f, 0), RL_SERVER);
	assert_string_equal(f->error.code, "LOADING");
	assert_int_equal(f->world.sent_count, 1);
}

static void an_error_that_does_not_pass_within_retry_for_is_told(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	f->world.server->readonly = true;
	f->world.client.retry_for_us = 3 * S;
	assert_int_equal(acquire(f, 60000), RL_SERVER);
	assert_string_equal(f->error.code, "READONLY");
	assert_in_range(f->world.now - began, 3 * S - 250 * MS, 3 * S + 250 * MS);
	/* With pauses in between that grow. */
	assert_in_range(f->world.sent_count, 10, 120);
}

static void readonly_on_an_old_connection_is_tried_once_on_a_new_one(void **state)
{
	fixture *f = *state;
	int64_t began;

	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	began = f->world.now;
	world_will(&f->world, (world_plan) {.reply = "-READONLY You can't write against a read only replica.\r\n"});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(f->world.sent_count, 4);
	assert_int_equal(sent(f, 2)->connection, 0);
	assert_int_equal(sent(f, 3)->connection, 1);
	assert_int_equal(f->world.now, began);
	/* A server that says so on a new connection as well means it. */
	assert_int_equal(release(f), RL_OK);
	f->world.server->readonly = true;
	assert_int_equal(acquire(f, 0), RL_SERVER);
	assert_string_equal(f->error.code, "READONLY");
	assert_int_equal(f->world.sent_count, 7);
}

static void an_old_connection_that_breaks_is_replaced_without_notice(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
	/* The server has closed it, and its RST meets the send. */
	world_will(&f->world, (world_plan) {.fate = WORLD_CUT});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(is_held(f));
	assert_int_equal(f->world.connection_count, 2);
	/* Also for a token of the caller's: nothing was sent. */
	assert_int_equal(release(f), RL_OK);
	world_will(&f->world, (world_plan) {.fate = WORLD_CUT});
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
}

static void a_server_that_refuses_connections(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	assert_int_equal(acquire(f, 0), RL_CONNECTION);
	assert_int_equal(f->error.status, RL_CONNECTION);
	assert_contains(f->error.message, "refused");
	assert_int_equal(f->world.now, began);
	assert_int_equal(f->world.sent_count, 0);
	assert_int_equal(f->world.connection_count, 1);
	assert_false(f->lock.uncertain);
	assert_false(rl_lock_owes_release(&f->lock, &f->world.client));
}

static void a_server_that_is_back_within_the_wait(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < 5; i++) {
		world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	}
	assert_int_equal(acquire(f, 5000), RL_OK);
	assert_int_equal(f->world.connection_count, 6);
	assert_int_equal(sent(f, 0)->command.argument_count, 5);
}

static void never_connected(struct world *world, int server, world_connect_plan *plan)
{
	(void) world;
	(void) server;
	plan->fate = WORLD_REFUSED;
}

static void a_server_that_is_gone_ends_the_call_after_retry_for(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	f->world.plan_connect = never_connected;
	f->world.client.retry_for_us = 2 * S;
	assert_int_equal(acquire(f, 60000), RL_CONNECTION);
	assert_in_range(f->world.now - began, 2 * S - 250 * MS, 2 * S + 250 * MS);
	assert_in_range(f->world.connection_count, 8, 100);
}

static void a_server_that_is_gone_ends_the_call_after_the_wait(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	f->world.plan_connect = never_connected;
	assert_int_equal(acquire(f, 500), RL_CONNECTION);
	assert_in_range(f->world.now - began, 250 * MS, 500 * MS);
}

static void a_connect_that_hangs_ends_after_its_timeout(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	f->world.client.connect_timeout_us = 300 * MS;
	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_HANGING});
	assert_int_equal(acquire(f, 0), RL_CONNECTION);
	assert_contains(f->error.message, "no connection within 0.300 s");
	assert_int_equal(f->world.now, began + 300 * MS);
}

static void a_connect_ends_with_the_budget_at_the_latest(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	f->world.client.connect_timeout_us = 60 * S;
	f->world.client.timeout_us = 100 * MS;
	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_HANGING});
	assert_int_equal(acquire(f, 0), RL_CONNECTION);
	assert_int_equal(f->world.now, began + 200 * MS);
}

/* What it takes to connect is not taken from the lease. */
static void the_lease_counts_from_the_send_and_not_from_the_connect(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_will_connect(&f->world, (world_connect_plan) {.delay_us = 400 * MS});
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(sent(f, 0)->at, began + 400 * MS);
	assert_int_equal(f->lock.valid_until, sent(f, 0)->at + 29698 * MS);
	assert_int_equal(release(f), RL_OK);
	/* On a connection that is there, from the beginning of the call, which is the same. */
	began = f->world.now;
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(f->lock.valid_until, began + 29698 * MS);
}

static void a_log_in_that_is_refused_is_told_at_once(void **state)
{
	fixture *f = *state;

	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_LOGIN_REFUSED, .delay_us = 1 * MS});
	assert_int_equal(acquire(f, 5000), RL_SERVER);
	assert_string_equal(f->error.code, "WRONGPASS");
	assert_int_equal(f->world.connection_count, 1);
	assert_int_equal(f->world.sent_count, 0);
}

static void bytes_that_never_leave_are_not_sent(void **state)
{
	fixture *f = *state;
	int64_t began = f->world.now;

	world_will(&f->world, (world_plan) {.fate = WORLD_STUCK});
	assert_int_equal(acquire(f, 0), RL_CONNECTION);
	assert_int_equal(f->world.now, began + 1 * S);
	assert_false(f->lock.uncertain);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 0);
	assert_int_equal(world_count(&f->world, WORLD_DROPPED), 1);
}

/* What was repeated stays unknown, also when the repeat finds no connection. */
static void a_repeat_that_finds_no_server_leaves_the_outcome_unknown(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	world_will_connect(&f->world, (world_connect_plan) {0});
	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_true(f->lock.uncertain);
	assert_int_equal(f->lock.unanswered_count, 1);
}

/* Redis answered, but not to what was sent first: whether that one holds the lock is as unknown as before. */
static void a_repeat_that_meets_an_error_leaves_the_outcome_unknown(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	world_will(&f->world, (world_plan) {.reply = "-LOADING Redis is loading the dataset in memory\r\n"});
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_true(f->lock.uncertain);
	assert_int_equal(f->lock.unanswered_count, 1);
}

static void without_randomness_nothing_is_sent(void **state)
{
	fixture *f = *state;

	f->world.random_fails = true;
	assert_int_equal(acquire(f, 1000), RL_SYSTEM);
	assert_contains(f->error.message, "random");
	assert_int_equal(f->world.sent_count, 0);
	assert_int_equal(f->lock.unanswered_count, 0);
	/* A caller's token needs none. */
	assert_int_equal(acquire_chosen(f, 0, "worker"), RL_OK);
}

static void without_memory_for_a_connection_the_call_ends(void **state)
{
	fixture *f = *state;

	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_NO_CONNECTION});
	assert_int_equal(acquire(f, 1000), RL_SYSTEM);
	assert_false(f->lock.uncertain);
}

static void without_memory_for_a_command_the_call_ends(void **state)
{
	fixture *f = *state;

	world_will(&f->world, (world_plan) {.fate = WORLD_NO_MEMORY});
	assert_int_equal(acquire(f, 1000), RL_SYSTEM);
	assert_false(f->lock.uncertain);
	assert_int_equal(world_count(&f->world, WORLD_DROPPED), 1);
}

static void a_full_server_refuses_only_what_is_free(void **state)
{
	fixture *f = *state;

	f->world.server->full = true;
	assert_int_equal(acquire(f, 0), RL_SERVER);
	assert_string_equal(f->error.code, "OOM");
	held_by_another(f, 1000);
	assert_int_equal(acquire(f, 0), RL_NO);
}

/* A pause in the failures: they are counted from the last answer, or a long wait would end with the second of them. */
/* The pause between two repeats is up to a quarter of a second, which can be more than two short timeouts. */
static void repeats_end_within_the_budget(void **state)
{
	fixture *f = *state;

	f->world.client.timeout_us = 10 * MS;
	for (int wait_ms = 100; wait_ms < 2000; wait_ms += 100) {
		int64_t began = f->world.now;

		f->world.plan_first = f->world.plan_count = 0;
		for (int i = 0; i < WORLD_PLANS; i++) {
			world_will(&f->world, (world_plan) {.fate = WORLD_SILENT, .travel_us = WORLD_NEVER});
		}
		assert_int_equal(acquire(f, wait_ms), RL_UNCERTAIN);
		assert_in_range(f->world.now - began, 0, wait_ms * MS + 20 * MS);
	}
}

static void answers_in_between_begin_a_new_period_of_retrying(void **state)
{
	fixture *f = *state;

	f->world.client.retry_for_us = 1 * S;
	f->world.server->cannot_block = true;
	held_by_another(f, 0);
	assert_int_equal(acquire(f, 0), RL_NO);
	for (int round = 0; round < 3; round++) {
		/* Refused for most of a second, then answered. */
		for (int i = 0; i < 4; i++) {
			world_will(&f->world, (world_plan) {.reply = "-LOADING x\r\n", .answer_us = 180 * MS});
		}
		world_will(&f->world, (world_plan) {0});
		world_will(&f->world, (world_plan) {0});
	}
	assert_int_equal(acquire(f, 6000), RL_NO);
}

static void a_lock_can_be_taken_again_after_its_lease_is_over(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 31 * S);
	assert_false(is_held(f));
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(is_held(f));
}

static void a_32_byte_token_is_nothing_special(void **state)
{
	static const char token[] = "0123456789abcdef0123456789ABCDEF";
	fixture *f = *state;

	assert_int_equal(acquire_chosen(f, 0, token), RL_OK);
	assert_slice_equal(rl_slice_make(f->lock.token, f->lock.token_length), token);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_int_equal(release(f), RL_OK);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(it_is_one_command_and_one_round_trip),
		TEST(the_lock_is_ours_afterwards),
		TEST(a_fence_is_kept_for_twice_a_long_lease),
		TEST(another_retention_is_named),
		TEST(held_by_another_is_no_within_one_round_trip),
		TEST(a_lock_without_a_time_to_live_is_held),
		TEST(every_acquisition_has_a_token_of_its_own_and_a_larger_fence),
		TEST(a_lost_reply_is_repeated_with_the_earlier_token_named),
		TEST(a_repeat_of_what_was_granted_has_a_larger_fence),
		TEST(a_late_duplicate_and_its_release_disturb_nobody),
		TEST(a_late_duplicate_does_not_shorten_a_renewed_lease),
		TEST(a_late_duplicate_after_the_release_is_given_back_by_the_release_behind_it),
		TEST(a_connection_that_breaks_after_the_send_is_repeated_as_well),
		TEST(without_any_answer_the_outcome_is_unknown),
		TEST(the_next_acquire_names_what_was_never_answered),
		TEST(a_release_after_an_unknown_outcome_gives_back_whatever_was_taken),
		TEST(a_release_after_an_unknown_outcome_that_took_nothing_is_no),
		TEST(abandoning_after_an_unknown_outcome_releases_whatever_was_taken),
		TEST(only_so_many_unanswered_sends_are_remembered),
		TEST(a_chosen_token_is_sent_as_it_is),
		TEST(the_same_chosen_token_excludes_itself),
		TEST(a_chosen_token_is_never_repeated),
		TEST(a_chosen_token_names_the_random_ones_before_it),
		TEST(a_grant_after_the_end_of_its_lease_is_given_back),
		TEST(a_grant_in_the_last_moment_of_its_lease_is_one),
		TEST(a_late_grant_of_a_chosen_token_is_given_back_by_its_fence),
		TEST(a_late_grant_is_tried_again_within_the_wait),
		TEST(grants_that_are_always_late_end_with_the_wait),
		TEST(an_unknown_script_is_sent_whole_on_the_same_connection),
		TEST(a_script_that_is_never_known_is_an_error_of_the_server),
		TEST(answers_that_no_script_of_ours_gives),
		TEST(errors_that_last_are_told_at_once),
		TEST(a_protocol_error_ends_the_connection),
		TEST(errors_that_pass_are_tried_again_within_the_wait),
		TEST(an_error_that_passes_is_told_when_there_is_no_wait),
		TEST(an_error_that_does_not_pass_within_retry_for_is_told),
		TEST(readonly_on_an_old_connection_is_tried_once_on_a_new_one),
		TEST(an_old_connection_that_breaks_is_replaced_without_notice),
		TEST(a_server_that_refuses_connections),
		TEST(a_server_that_is_back_within_the_wait),
		TEST(a_server_that_is_gone_ends_the_call_after_retry_for),
		TEST(a_server_that_is_gone_ends_the_call_after_the_wait),
		TEST(a_connect_that_hangs_ends_after_its_timeout),
		TEST(a_connect_ends_with_the_budget_at_the_latest),
		TEST(the_lease_counts_from_the_send_and_not_from_the_connect),
		TEST(a_log_in_that_is_refused_is_told_at_once),
		TEST(bytes_that_never_leave_are_not_sent),
		TEST(a_repeat_that_finds_no_server_leaves_the_outcome_unknown),
		TEST(a_repeat_that_meets_an_error_leaves_the_outcome_unknown),
		TEST(without_randomness_nothing_is_sent),
		TEST(without_memory_for_a_connection_the_call_ends),
		TEST(without_memory_for_a_command_the_call_ends),
		TEST(a_full_server_refuses_only_what_is_free),
		TEST(repeats_end_within_the_budget),
		TEST(answers_in_between_begin_a_new_period_of_retrying),
		TEST(a_lock_can_be_taken_again_after_its_lease_is_over),
		TEST(a_32_byte_token_is_nothing_special),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
