/*
 * What the calls of a lock add to the counters (rl_stats.h). Each of these is called once, as a call ends; what happened
 * during the call is noted in rl_lock.account. Without counters they do nothing, and nobody reads a clock for them.
 */
#ifndef RL_ACCOUNT_H
#define RL_ACCOUNT_H

#include "rl_lock.h"

/* The moment at which a call begins, for the functions below; 0: nothing is counted. */
int64_t rl_account_begin(const rl_client *client);

void rl_account_acquire(rl_lock *lock, const rl_client *client, int64_t begun, int64_t wait_ms, rl_status status);

/* What a lock owned when a call began. */
typedef struct rl_ownership {
	int process;
	bool owned;               /* a token */
	bool valid;               /* and nothing has put its lease in doubt */
} rl_ownership;

static inline rl_ownership rl_account_ownership(const rl_lock *lock)
{
	return (rl_ownership) {lock->process, lock->token != NULL, lock->token != NULL && lock->valid_until != 0};
}

void rl_account_attach(rl_lock *lock, rl_ownership before, const rl_client *client, int64_t begun, rl_status status);
void rl_account_renew(rl_lock *lock, rl_ownership before, const rl_client *client, int64_t begun, int64_t lease_ms,
	rl_status status);
void rl_account_release(const rl_lock *lock, rl_ownership before, const rl_client *client, int64_t begun,
	rl_status status);

/* At that moment the release of the token is written, or will be, and nobody waits for its answer. */
void rl_account_give_up(const rl_lock *lock, const rl_client *client, int64_t moment);

/* The same of everything that the lock owes. written: whether there was a connection to write it to; if not, only the lease ends it. */
void rl_account_abandon(const rl_lock *lock, const rl_client *client, int64_t moment, bool written);

/* The same calls by name and token. */
void rl_account_token(const rl_client *client, const rl_keys *keys, rl_counter yes, rl_counter no, rl_status status);

#endif
