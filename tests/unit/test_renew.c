/* Renewing, taking over by token, and looking. */
#include "fixture.h"

static bool stop_at_once(struct world *world)
{
	(void) world;
	return true;
}

static rl_status attach(fixture *f, const char *token)
{
	return rl_lock_attach(&f->lock, &f->world.client, rl_slice_text(token), &f->error);
}

/* ----------------------------------------------------------------------------------------------------- renew */

static void renew_makes_the_lease_last_longer(void **state)
{
	fixture *f = *state;
	const model_command *command;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 20 * S);
	world_will(&f->world, (world_plan) {.travel_us = 5 * MS, .answer_us = 5 * MS});
	assert_int_equal(renew(f, 60000), RL_OK);
	command = &sent(f, 1)->command;
	assert_true(world_is(sent(f, 1), RL_SCRIPT_RENEW));
	assert_int_equal(command->key_count, 1);
	assert_slice_equal(command->keys[0], "redislock:job");
	assert_int_equal(command->argument_count, 2);
	assert_true(rl_slice_equal(command->arguments[0], token_sent(f, 0)));
	assert_slice_equal(command->arguments[1], "60000");
	/* From before it was sent. */
	assert_int_equal(f->lock.valid_until, sent(f, 1)->at + 60000 * MS - 600 * MS - 2 * MS);
	assert_true(is_held(f));
}

static void renew_never_shortens(void **state)
{
	fixture *f = *state;
	int64_t valid_until;

	assert_int_equal(acquire(f, 0), RL_OK);
	valid_until = f->lock.valid_until;
	assert_int_equal(renew(f, 100), RL_OK);
	assert_int_equal(f->lock.valid_until, valid_until);
	assert_true(key_of_lock(f)->expires - server_ms(f) >= 29999);
	/* Not even when the server counts less than we do. */
	key_of_lock(f)->expires -= 20000;
	assert_int_equal(renew(f, 100), RL_OK);
	assert_int_equal(f->lock.valid_until, valid_until);
}

static void renew_of_what_another_has_is_no(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 31 * S);
	held_by_another(f, 5000);
	assert_int_equal(renew(f, 30000), RL_NO);
	assert_true(server_holds(f, rl_slice_text("another")));
	assert_false(is_held(f));
	assert_null(f->lock.token);
	assert_int_equal(renew(f, 30000), RL_NO);
	assert_int_equal(f->world.sent_count, 2);
}

static void renew_of_what_nobody_has_is_no_and_creates_nothing(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	nobody_holds(f);
	assert_int_equal(renew(f, 30000), RL_NO);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	assert_false(is_held(f));
}

/* The server is asked as long as it was not said to be over: its clock decides. */
static void renew_after_the_end_of_the_lease_by_our_clock(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 29800 * MS);
	assert_false(is_held(f));
	assert_int_equal(renew(f, 30000), RL_OK);
	assert_true(is_held(f));
}

static void renew_of_what_was_never_held_sends_nothing(void **state)
{
	fixture *f = *state;

	assert_int_equal(renew(f, 30000), RL_NO);
	assert_int_equal(f->world.sent_count, 0);
}

/* (d): executed, answer lost. */
static void renew_with_a_lost_answer_is_repeated(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(renew(f, 60000), RL_OK);
	assert_int_equal(f->world.sent_count, 3);
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 1);
	/* Counted from the second send with what was left then: as much as the first one gave. */
	assert_true(f->lock.valid_until <= sent(f, 2)->at + 59398 * MS);
	assert_true(f->lock.valid_until > sent(f, 1)->at + 57000 * MS);
}

static void renew_without_any_answer_leaves_the_old_lease(void **state)
{
	fixture *f = *state;
	int64_t valid_until, began;

	assert_int_equal(acquire(f, 0), RL_OK);
	valid_until = f->lock.valid_until;
	began = f->world.now;
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(renew(f, 60000), RL_UNCERTAIN);
	assert_int_equal(f->world.now, began + 2 * S);
	assert_int_equal(f->lock.valid_until, valid_until);
	assert_true(is_held(f));
	assert_int_equal(release(f), RL_OK);
}

static void renew_that_fails_leaves_the_old_lease(void **state)
{
	static const struct {
		const char *reply;
		const char *code;
	} errors[] = {
		{"-OOM command not allowed\r\n", "OOM"}, {"-LOADING x\r\n", "LOADING"}, {"+OK\r\n", ""}, {"*1\r\n:1\r\n", ""},
		{"*2\r\n:1\r\n$1\r\nx\r\n", ""}, {"*2\r\n:1\r\n:-1\r\n", ""}, {"*2\r\n:1\r\n:9223372036854775807\r\n", ""},
		{"junk\r\n", ""}
	};
	fixture *f = *state;
	int64_t valid_until;

	assert_int_equal(acquire(f, 0), RL_OK);
	valid_until = f->lock.valid_until;
	for (int i = 0; i < COUNT(errors); i++) {
		world_close_idle(&f->world);
		world_will(&f->world, (world_plan) {.reply = errors[i].reply});
		assert_int_equal(renew(f, 60000), RL_SERVER);
		assert_string_equal(f->error.code, errors[i].code);
		assert_int_equal(f->lock.valid_until, valid_until);
		assert_true(is_held(f));
	}
	world_close_idle(&f->world);
	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	assert_int_equal(renew(f, 60000), RL_CONNECTION);
	assert_true(is_held(f));
}

static void renew_that_is_interrupted_leaves_the_old_lease(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	f->world.signal_at = f->world.now + 10 * MS;
	f->world.interrupted = stop_at_once;
	assert_int_equal(renew(f, 60000), RL_INTERRUPTED);
	assert_true(is_held(f));
	assert_int_equal(world_count(&f->world, WORLD_PARKED), 1);
}

static void renew_answered_after_the_end_of_the_renewed_lease_is_no(void **state)
{
	fixture *f = *state;

	f->lock.lease_ms = 50;
	assert_int_equal(acquire(f, 0), RL_OK);
	world_will(&f->world, (world_plan) {.answer_us = 100 * MS});
	assert_int_equal(renew(f, 60), RL_NO);
	assert_false(is_held(f));
}

static void renew_by_token(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire_chosen(f, 0, "elsewhere"), RL_OK);
	assert_int_equal(rl_token_renew(&f->world.client, &f->lock.keys, rl_slice_text("nobody"), 60000, &f->error), RL_NO);
	assert_int_equal(rl_token_renew(&f->world.client, &f->lock.keys, rl_slice_text("elsewhere"), 60000, &f->error),
		RL_OK);
	assert_true(key_of_lock(f)->expires - server_ms(f) == 60000);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(rl_token_renew(&f->world.client, &f->lock.keys, rl_slice_text("elsewhere"), 70000, &f->error),
		RL_OK);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	world_will(&f->world, (world_plan) {.fate = WORLD_BROKEN});
	assert_int_equal(rl_token_renew(&f->world.client, &f->lock.keys, rl_slice_text("elsewhere"), 70000, &f->error),
		RL_UNCERTAIN);
}

/* ---------------------------------------------------------------------------------------------------- attach */

static void attach_takes_over_with_a_new_fence(void **state)
{
	fixture *f = *state;
	const model_command *command;
	int64_t fence;

	assert_int_equal(acquire_chosen(f, 0, "owner"), RL_OK);
	fence = f->lock.fence;
	rl_lock_forget(&f->lock);
	world_pass(&f->world, 10 * S);
	assert_int_equal(attach(f, "owner"), RL_OK);
	command = &sent(f, 1)->command;
	assert_true(world_is(sent(f, 1), RL_SCRIPT_ATTACH));
	assert_int_equal(command->key_count, 3);
	assert_slice_equal(command->arguments[0], "owner");
	assert_slice_equal(command->arguments[1], "30000");
	assert_slice_equal(command->arguments[2], "604800000");
	assert_true(f->lock.fence > fence);
	assert_true(is_held(f));
	/* What is left of the old lease, counted from the send. */
	assert_int_equal(f->lock.valid_until, sent(f, 1)->at + 20000 * MS - 200 * MS - 2 * MS);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void attach_gives_a_lease_to_a_lock_that_has_none(void **state)
{
	fixture *f = *state;

	held_by_another(f, 0);
	assert_int_equal(attach(f, "another"), RL_OK);
	assert_true(key_of_lock(f)->expires > 0);
	assert_true(is_held(f));
	assert_int_equal(rl_lock_remaining(&f->lock, &f->world.client), 29698 * MS);
}

static void attach_with_a_token_that_does_not_hold_it_is_no(void **state)
{
	fixture *f = *state;

	assert_int_equal(attach(f, "owner"), RL_NO);
	held_by_another(f, 5000);
	assert_int_equal(attach(f, "owner"), RL_NO);
	assert_false(is_held(f));
	assert_null(f->lock.token);
	assert_true(server_holds(f, rl_slice_text("another")));
	assert_int_equal(world_count(&f->world, WORLD_IDLE), 1);
}

static void attach_with_a_long_token_of_another_library(void **state)
{
	fixture *f = *state;
	char token[251];
	model_key *key = key_of_lock(f);

	memset(token, 'x', 250);
	token[250] = '\0';
	memcpy(key->holder, token, 250);
	key->holder_length = 250;
	assert_int_equal(attach(f, token), RL_OK);
	assert_slice_equal(rl_slice_make(f->lock.token, f->lock.token_length), token);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

static void attach_with_a_lost_answer_is_repeated(void **state)
{
	fixture *f = *state;

	held_by_another(f, 20000);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(attach(f, "another"), RL_OK);
	assert_int_equal(f->world.sent_count, 2);
	assert_true(f->lock.fence == key_of_lock(f)->fence);
	assert_int_equal(release(f), RL_OK);
}

/* The delayed first send arrives after the repeat: it must not keep the holder from giving the lock back. */
static void attach_that_arrives_twice_can_still_be_released(void **state)
{
	fixture *f = *state;

	held_by_another(f, 20000);
	world_will(&f->world, (world_plan) {.travel_us = 3 * S});
	assert_int_equal(attach(f, "another"), RL_OK);
	world_pass(&f->world, 5 * S);
	assert_true(sent(f, 0)->command.ran);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

/* The same, when the late ones belong to a call of which the caller was told that nobody knows what became of it. */
static void attach_that_arrives_after_the_next_attach_can_still_be_released(void **state)
{
	fixture *f = *state;

	held_by_another(f, 20000);
	world_will(&f->world, (world_plan) {.travel_us = 5 * S});
	world_will(&f->world, (world_plan) {.travel_us = 5 * S});
	assert_int_equal(attach(f, "another"), RL_UNCERTAIN);
	assert_int_equal(attach(f, "another"), RL_OK);
	world_pass(&f->world, 10 * S);
	assert_true(sent(f, 0)->command.ran);
	assert_true(sent(f, 1)->command.ran);
	assert_true(is_held(f));
	assert_true(server_holds_lock(f));
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
}

/* It attached, nobody heard of it, and another one attached: to ask again is to take the lock over once more. */
static void attach_that_was_overtaken_takes_over_again(void **state)
{
	fixture *f = *state;
	rl_lock other;

	rl_lock_init(&other, f->world.client.prefix, rl_slice_text("job"), 30000, &f->error);
	held_by_another(f, 20000);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(attach(f, "another"), RL_UNCERTAIN);
	assert_int_equal(rl_lock_attach(&other, &f->world.client, rl_slice_text("another"), &f->error), RL_OK);
	assert_int_equal(attach(f, "another"), RL_OK);
	assert_true(f->lock.fence > other.fence);
	assert_int_equal(rl_lock_release(&other, &f->world.client, &f->error), RL_NO);
	assert_int_equal(release(f), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	rl_lock_free(&other);
}

/* Others may use the same token: what they took after our lease was over is not ours to free. */
static void attach_does_not_free_a_later_acquisition_with_the_same_token(void **state)
{
	fixture *f = *state;
	rl_slice token = rl_slice_text("worker");
	rl_lock other;

	rl_lock_init(&other, f->world.client.prefix, rl_slice_text("job"), 30000, &f->error);
	held_by_another(f, 1000);
	memcpy(key_of_lock(f)->holder, "worker", 6);
	key_of_lock(f)->holder_length = 6;
	assert_int_equal(attach(f, "worker"), RL_OK);
	world_pass(&f->world, 2 * S);
	assert_int_equal(rl_lock_acquire(&other, &f->world.client, 0, &token, &f->error), RL_OK);
	assert_int_equal(release(f), RL_NO);
	assert_true(server_holds(f, token));
	assert_true(rl_lock_is_held(&other, &f->world.client));
	assert_int_equal(rl_lock_release(&other, &f->world.client, &f->error), RL_OK);
	rl_lock_free(&other);
}

/* Also while our own lease lasts: another process took the lock over, and its fence is not ours. */
static void a_lock_that_another_one_attached_to_is_not_given_back(void **state)
{
	fixture *f = *state;
	rl_slice token = rl_slice_text("another");
	rl_lock other;

	rl_lock_init(&other, f->world.client.prefix, rl_slice_text("job"), 30000, &f->error);
	held_by_another(f, 20000);
	assert_int_equal(attach(f, "another"), RL_OK);
	assert_int_equal(rl_lock_attach(&other, &f->world.client, token, &f->error), RL_OK);
	assert_true(other.fence > f->lock.fence);
	assert_true(is_held(f));
	assert_int_equal(release(f), RL_NO);
	assert_true(server_holds(f, token));
	assert_int_equal(rl_lock_release(&other, &f->world.client, &f->error), RL_OK);
	assert_int_equal(key_of_lock(f)->holder_length, 0);
	rl_lock_free(&other);
}

/* The number of an attach without an answer is used again: not for an ownership that came in between. */
static void an_attach_after_one_without_an_answer_has_a_fence_of_its_own(void **state)
{
	fixture *f = *state;
	rl_slice token = rl_slice_text("another");
	rl_lock other;
	int64_t fence;

	rl_lock_init(&other, f->world.client.prefix, rl_slice_text("job"), 30000, &f->error);
	held_by_another(f, 20000);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(attach(f, "another"), RL_UNCERTAIN);
	assert_int_equal(rl_token_release(&f->world.client, &f->lock.keys, token, &f->error), RL_OK);
	assert_int_equal(rl_lock_acquire(&other, &f->world.client, 0, &token, &f->error), RL_OK);
	fence = other.fence;
	assert_int_equal(attach(f, "another"), RL_OK);
	assert_true(f->lock.fence > fence);
	/* Answered: the next one is another call. */
	fence = f->lock.fence;
	rl_lock_forget(&f->lock);
	assert_int_equal(attach(f, "another"), RL_OK);
	assert_true(f->lock.fence > fence);
	rl_lock_free(&other);
}

static void attach_without_any_answer_is_unknown(void **state)
{
	fixture *f = *state;

	held_by_another(f, 20000);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(attach(f, "another"), RL_UNCERTAIN);
	assert_false(is_held(f));
	assert_null(f->lock.token);
	assert_true(server_holds(f, rl_slice_text("another")));
}

static void attach_with_an_answer_that_is_none(void **state)
{
	static const char *const wrong[] = {"+OK\r\n", "*1\r\n:1\r\n", "*2\r\n:1\r\n:5\r\n", "*3\r\n:1\r\n:0\r\n:5\r\n",
		"*3\r\n:1\r\n$1\r\nx\r\n:5\r\n", "*3\r\n:1\r\n:5\r\n:-1\r\n", "*3\r\n:1\r\n:5\r\n:9223372036854775807\r\n",
		"*3\r\n:1\r\n:9007199254740992\r\n:5\r\n", "*3\r\n:2\r\n:5\r\n:5\r\n"};
	fixture *f = *state;

	for (int i = 0; i < COUNT(wrong); i++) {
		world_will(&f->world, (world_plan) {.reply = wrong[i]});
		assert_int_equal(attach(f, "another"), RL_SERVER);
		assert_int_equal(world_count(&f->world, WORLD_IDLE), 0);
		assert_false(is_held(f));
		assert_null(f->lock.token);
	}
	world_will(&f->world, (world_plan) {.reply = "-OOM command not allowed\r\n"});
	assert_int_equal(attach(f, "another"), RL_SERVER);
	assert_string_equal(f->error.code, "OOM");
}

/* What is left may be next to nothing; then a fence is no ownership. */
static void attach_to_a_lease_that_is_over_as_the_answer_comes(void **state)
{
	fixture *f = *state;

	held_by_another(f, 50);
	world_will(&f->world, (world_plan) {.answer_us = 100 * MS});
	assert_int_not_equal(attach(f, "another"), RL_OK);
	assert_false(is_held(f));
}

/* --------------------------------------------------------------------------------------------------- inspect */

static rl_status inspect(fixture *f, rl_inspection *inspection)
{
	return rl_inspect(&f->world.client, &f->lock.keys, inspection, &f->error);
}

static void inspect_a_lock_that_nobody_holds(void **state)
{
	fixture *f = *state;
	rl_inspection inspection;

	assert_int_equal(inspect(f, &inspection), RL_OK);
	assert_false(inspection.held);
	assert_int_equal(inspection.token.length, 0);
	assert_int_equal(inspection.remaining_ms, 0);
	assert_int_equal(inspection.fence, 0);
	assert_false(inspection.waiters);
	rl_buffer_free(&inspection.token);
}

static void inspect_a_lock_that_is_held(void **state)
{
	fixture *f = *state;
	rl_inspection inspection;

	assert_int_equal(acquire(f, 0), RL_OK);
	world_pass(&f->world, 10 * S);
	key_of_lock(f)->wait_flag_expires = server_ms(f) + 1000;
	assert_int_equal(inspect(f, &inspection), RL_OK);
	assert_true(inspection.held);
	assert_true(rl_slice_equal(rl_slice_make(inspection.token.data, inspection.token.length), token_sent(f, 0)));
	assert_int_equal(inspection.remaining_ms, 20000);
	assert_true(inspection.fence == f->lock.fence);
	assert_true(inspection.waiters);
	rl_buffer_free(&inspection.token);
	/* Looking changes nothing. */
	assert_true(server_holds_lock(f));
	assert_int_equal(key_of_lock(f)->expires - server_ms(f), 20000);
}

static void inspect_a_lock_without_a_time_to_live(void **state)
{
	fixture *f = *state;
	rl_inspection inspection;

	held_by_another(f, 0);
	assert_int_equal(inspect(f, &inspection), RL_OK);
	assert_true(inspection.held);
	assert_true(inspection.remaining_ms == -1);
	rl_buffer_free(&inspection.token);
}

static void inspect_whatever_is_stored_as_a_fence(void **state)
{
	static const char *const fences[] = {"$0\r\n\r\n", "$1\r\n0\r\n", "$2\r\n-5\r\n", "$3\r\nabc\r\n",
		"$16\r\n9007199254740992\r\n"};
	fixture *f = *state;

	for (int i = 0; i < COUNT(fences); i++) {
		rl_inspection inspection;
		char reply[100];

		snprintf(reply, sizeof(reply), "*6\r\n:1\r\n$1\r\nt\r\n:5\r\n%s:0\r\n:0\r\n", fences[i]);
		world_will(&f->world, (world_plan) {.reply = reply});
		assert_int_equal(inspect(f, &inspection), RL_OK);
		assert_true(inspection.held);
		assert_int_equal(inspection.fence, 0);
		rl_buffer_free(&inspection.token);
	}
}

static void inspect_with_an_answer_that_is_none(void **state)
{
	static const char *const wrong[] = {
		"+OK\r\n", "*0\r\n", "*1\r\n:1\r\n", "*6\r\n:2\r\n$1\r\nt\r\n:5\r\n:1\r\n:0\r\n:0\r\n",
		"*6\r\n:1\r\n:7\r\n:5\r\n:1\r\n:0\r\n:0\r\n", "*6\r\n:1\r\n$-1\r\n:5\r\n:1\r\n:0\r\n:0\r\n",
		"*6\r\n:1\r\n$1\r\nt\r\n:-2\r\n:1\r\n:0\r\n:0\r\n", "*6\r\n:1\r\n$1\r\nt\r\n:5\r\n:1\r\n:2\r\n:0\r\n",
		"*4\r\n:1\r\n$1\r\nt\r\n:5\r\n:1\r\n"
	};
	fixture *f = *state;

	for (int i = 0; i < COUNT(wrong); i++) {
		rl_inspection inspection;

		world_will(&f->world, (world_plan) {.reply = wrong[i]});
		assert_int_equal(inspect(f, &inspection), RL_SERVER);
		assert_int_equal(world_count(&f->world, WORLD_IDLE), 0);
		rl_buffer_free(&inspection.token);
	}
}

static void inspect_is_repeated(void **state)
{
	fixture *f = *state;
	rl_inspection inspection;

	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(inspect(f, &inspection), RL_OK);
	rl_buffer_free(&inspection.token);
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	world_will(&f->world, (world_plan) {.fate = WORLD_SILENT});
	assert_int_equal(inspect(f, &inspection), RL_UNCERTAIN);
	rl_buffer_free(&inspection.token);
	world_will_connect(&f->world, (world_connect_plan) {.fate = WORLD_REFUSED});
	assert_int_equal(inspect(f, &inspection), RL_CONNECTION);
	rl_buffer_free(&inspection.token);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(renew_makes_the_lease_last_longer),
		TEST(renew_never_shortens),
		TEST(renew_of_what_another_has_is_no),
		TEST(renew_of_what_nobody_has_is_no_and_creates_nothing),
		TEST(renew_after_the_end_of_the_lease_by_our_clock),
		TEST(renew_of_what_was_never_held_sends_nothing),
		TEST(renew_with_a_lost_answer_is_repeated),
		TEST(renew_without_any_answer_leaves_the_old_lease),
		TEST(renew_that_fails_leaves_the_old_lease),
		TEST(renew_that_is_interrupted_leaves_the_old_lease),
		TEST(renew_answered_after_the_end_of_the_renewed_lease_is_no),
		TEST(renew_by_token),
		TEST(attach_takes_over_with_a_new_fence),
		TEST(attach_gives_a_lease_to_a_lock_that_has_none),
		TEST(attach_with_a_token_that_does_not_hold_it_is_no),
		TEST(attach_with_a_long_token_of_another_library),
		TEST(attach_with_a_lost_answer_is_repeated),
		TEST(attach_that_arrives_twice_can_still_be_released),
		TEST(attach_that_arrives_after_the_next_attach_can_still_be_released),
		TEST(attach_that_was_overtaken_takes_over_again),
		TEST(attach_does_not_free_a_later_acquisition_with_the_same_token),
		TEST(a_lock_that_another_one_attached_to_is_not_given_back),
		TEST(an_attach_after_one_without_an_answer_has_a_fence_of_its_own),
		TEST(attach_without_any_answer_is_unknown),
		TEST(attach_with_an_answer_that_is_none),
		TEST(attach_to_a_lease_that_is_over_as_the_answer_comes),
		TEST(inspect_a_lock_that_nobody_holds),
		TEST(inspect_a_lock_that_is_held),
		TEST(inspect_a_lock_without_a_time_to_live),
		TEST(inspect_whatever_is_stored_as_a_fence),
		TEST(inspect_with_an_answer_that_is_none),
		TEST(inspect_is_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
