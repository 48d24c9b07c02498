/*
 * What the calls of a lock add to the counters (rl_stats.h). Each of these is called once, as a call ends; what happened
 * during the call is noted in rl_lock.account. Without counters they do nothing.
 */
#ifndef RL_ACCOUNT_H
#define RL_ACCOUNT_H

#include "rl_lock.h"

/* How things are when a call begins. */
typedef struct rl_before {
	int64_t begun;
	int process;
	bool owned;               /* the lock has a token */
	bool valid;               /* and nothing has put its lease in doubt */
} rl_before;

rl_before rl_account_begin(const rl_lock *lock, const rl_client *client);

void rl_account_acquire(rl_lock *lock, rl_before before, const rl_client *client, int64_t wait_ms, rl_status status);
void rl_account_attach(rl_lock *lock, rl_before before, const rl_client *client, rl_status status);
void rl_account_renew(rl_lock *lock, rl_before before, const rl_client *client, int64_t lease_ms, rl_status status);
void rl_account_release(const rl_lock *lock, rl_before before, const rl_client *client, rl_status status);

/* At that moment the release of the token is written, or will be, and nobody waits for its answer. */
void rl_account_give_up(const rl_lock *lock, const rl_client *client, int64_t moment);

/* The same of everything that the lock owes. written: whether there was a connection to write it to; if not, only the lease ends it. */
void rl_account_abandon(const rl_lock *lock, const rl_client *client, int64_t moment, bool written);

/* The same calls by name and token. */
void rl_account_token(const rl_client *client, const rl_keys *keys, rl_counter yes, rl_counter no, rl_status status);

#endif
