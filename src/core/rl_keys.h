/* The keys of a lock in Redis, all in one hash slot. */
#ifndef RL_KEYS_H
#define RL_KEYS_H

#include "rl_buffer.h"
#include "rl_status.h"

enum { RL_KEYS_MAX_NAME = 1024 };

/*
 * lock is prefix + name, a plain string that every other library sees. The others are {lock}:redislock:fence and so
 * on; where the lock key has a valid hash tag t of its own, {t}:redislock:fence:lock.
 */
typedef struct rl_keys {
	rl_slice lock;
	rl_slice fence;
	rl_slice wait;    /* the flag that somebody waits */
	rl_slice wake;    /* the list on which waiters block */
	rl_slice attach;  /* the last call that took the lock over by its token */
	char *memory;
} rl_keys;

/*
 * Makes the keys; the caller frees them with rl_keys_free(). RL_INVALID: the name is empty, longer than 1024 bytes, or
 * prefix and name together hold "}:redislock:", which could be a helper key of another lock. Any other bytes are fine.
 */
rl_status rl_keys_make(rl_keys *keys, rl_slice prefix, rl_slice name, rl_error *error);

void rl_keys_free(rl_keys *keys);

#endif
