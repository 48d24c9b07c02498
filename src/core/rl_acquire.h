/* Taking a lock on one server. For rl_lock_acquire() only. */
#ifndef RL_ACQUIRE_H
#define RL_ACQUIRE_H

#include "rl_lock.h"

/* See rl_lock_acquire(). moment: now. The lock has no ownership. */
rl_status rl_acquire(rl_lock *lock, const rl_client *client, int64_t moment, int64_t wait_ms, const rl_slice *chosen,
	rl_error *error);

/* Writes RL_TOKEN_LENGTH random digits. False: the system has no random bytes. */
bool rl_token_make(const rl_runtime *runtime, char *token);

#endif
