/* What the files that make a lock's calls share beside rl_lock.h: lock.c, abandon.c, acquire.c and quorum_acquire.c. */
#ifndef RL_LOCK_PRIVATE_H
#define RL_LOCK_PRIVATE_H

#include "rl_lock.h"

/* Makes the token the lock's, without a lease yet. False: no memory. */
bool rl_lock_own(rl_lock *lock, rl_slice token, bool chosen, int process);

/* Writes the release of the token where a connection is there for it, without waiting for anything. */
void rl_lock_write_release(const rl_lock *lock, const rl_client *client);

#endif
