/* A world and a lock in it, for each test that wants them: cmocka_unit_test_setup_teardown(test, begin, end). */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "support.h"
#include "world.h"

#include "rl_clock.h"
#include "rl_operation.h"

enum { MS = RL_US_PER_MS, S = RL_US_PER_S };

typedef struct fixture {
	world world;
	rl_lock lock;
	rl_error error;
} fixture;

static inline void fail_test(const char *what)
{
	fail_msg("%s", what);
}

static inline int begin(void **state)
{
	fixture *f = calloc(1, sizeof(*f));

	model_failure = fail_test;
	world_begin(&f->world, 1);
	rl_lock_init(&f->lock, f->world.client.prefix, rl_slice_text("job"), 30000, &f->error);
	*state = f;
	return 0;
}

static inline int end(void **state)
{
	fixture *f = *state;
	bool clean = world_count(&f->world, WORLD_BUSY) == 0;

	rl_lock_free(&f->lock);
	world_end(&f->world);
	free(f);
	if (!clean) {
		fprintf(stderr, "a connection is still in use after the test\n");
	}
	return clean ? 0 : -1;
}

static inline rl_status acquire(fixture *f, int64_t wait_ms)
{
	return rl_lock_acquire(&f->lock, &f->world.client, wait_ms, NULL, &f->error);
}

static inline rl_status acquire_chosen(fixture *f, int64_t wait_ms, const char *token)
{
	rl_slice chosen = rl_slice_text(token);

	return rl_lock_acquire(&f->lock, &f->world.client, wait_ms, &chosen, &f->error);
}

static inline rl_status renew(fixture *f, int64_t lease_ms)
{
	return rl_lock_renew(&f->lock, &f->world.client, lease_ms, &f->error);
}

static inline rl_status release(fixture *f)
{
	return rl_lock_release(&f->lock, &f->world.client, &f->error);
}

static inline bool is_held(fixture *f)
{
	return rl_lock_is_held(&f->lock, &f->world.client);
}

/* The command that was sent as number i. */
static inline const world_sent *sent(const fixture *f, int i)
{
	assert_in_range(i, 0, f->world.sent_count - 1);
	return &f->world.sent[i];
}

static inline rl_slice token_sent(const fixture *f, int i)
{
	return sent(f, i)->command.arguments[0];
}

/* The server's view. */
static inline model_key *key_of_lock(fixture *f)
{
	return world_look(&f->world, &f->lock.keys);
}

static inline bool server_holds(fixture *f, rl_slice token)
{
	return world_holds(&f->world, &f->lock.keys, token);
}

static inline bool server_holds_lock(fixture *f)
{
	return f->lock.token != NULL && server_holds(f, rl_slice_make(f->lock.token, f->lock.token_length));
}

/* The server's clock in milliseconds. */
static inline int64_t server_ms(fixture *f)
{
	return world_server(&f->world, 0)->time_us / 1000;
}

/* Somebody else takes the lock, at the server itself. lease_ms 0: without a time to live. */
static inline void held_by_another(fixture *f, int64_t lease_ms)
{
	model_key *key = key_of_lock(f);

	memcpy(key->holder, "another", 7);
	key->holder_length = 7;
	key->expires = lease_ms == 0 ? 0 : server_ms(f) + lease_ms;
}

static inline void nobody_holds(fixture *f)
{
	key_of_lock(f)->holder_length = 0;
	key_of_lock(f)->expires = 0;
}

#endif
