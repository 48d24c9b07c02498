/*
 * A lock as one owner sees it. Every function that talks to Redis fills *error when it does not return RL_OK or RL_NO.
 */
#ifndef RL_LOCK_H
#define RL_LOCK_H

#include "rl_call.h"
#include "rl_keys.h"
#include "rl_lease.h"

enum {
	RL_TOKEN_LENGTH = 32,             /* of a random token, hexadecimal digits */
	RL_TOKEN_MAX_CHOSEN = 255,        /* of one chosen by the caller */
	RL_TOKEN_MAX_FOREIGN = 65535      /* of one that another library wrote */
};

/* What the counters need to know of a lock, see rl_account.h. */
typedef struct rl_account {
	int group;
	bool met_holder;                  /* the present call of acquire found somebody else */
	bool woken;                       /* its last try had been woken for it */
	int64_t since;                    /* the present or last ownership */
	int64_t lease_from;               /* its lease, as it was last granted or renewed */
	int64_t lease_until;
} rl_account;

typedef struct rl_lock {
	rl_keys keys;
	int64_t lease_ms;
	/* The ownership: NULL when there is none. It is kept beyond the end of the lease, until Redis was asked. */
	char *token;
	size_t token_length;
	bool chosen;                      /* others may use the same token, so the fence tells us from them */
	int64_t fence;                    /* of the present or last acquisition; 0: none yet */
	int64_t valid_until;              /* by rl_runtime.now(); 0: not held */
	int process;                      /* that owns the token and the unanswered sends */
	/* Tokens of sends of acquire whose answer never came, the oldest first. */
	char unanswered[RL_MAX_UNANSWERED][RL_TOKEN_LENGTH];
	int unanswered_count;
	bool uncertain;                   /* one of them may hold the lock: release() must try */
	char random_token[RL_TOKEN_LENGTH];
	char attach_number[RL_TOKEN_LENGTH];   /* of the last attach */
	bool attaching;                   /* it was not answered yet */
	rl_account account;
} rl_lock;

/* What Redis knows of a lock. */
typedef struct rl_inspection {
	bool held;
	rl_buffer token;                  /* freed by the caller with rl_buffer_free() */
	int64_t remaining_ms;             /* -1: it has no time to live */
	int64_t fence;                    /* the last one handed out, 0: none is stored */
	bool waiters;
} rl_inspection;

/* Why a token cannot be used: NULL if it can. */
const char *rl_token_problem(rl_slice token, size_t longest);

/* Prepares a lock. RL_INVALID: the name, see rl_keys_make(). It is counted in no group; see rl_account.group. */
rl_status rl_lock_init(rl_lock *lock, rl_slice prefix, rl_slice name, int64_t lease_ms, rl_error *error);

/* Frees the memory, and tells Redis nothing. */
void rl_lock_free(rl_lock *lock);

/*
 * Takes the lock, waiting up to wait_ms. chosen: a token of the caller's, or NULL. The lock must not be held.
 * RL_OK: lock->fence is the fence. RL_NO: held by somebody else to the end of the wait.
 */
rl_status rl_lock_acquire(rl_lock *lock, const rl_client *client, int64_t wait_ms, const rl_slice *chosen,
	rl_error *error);

/* Takes over what the token holds. RL_OK: lock->fence is the new fence. RL_NO: the token does not hold the lock. */
rl_status rl_lock_attach(rl_lock *lock, const rl_client *client, rl_slice token, rl_error *error);

/* RL_NO: no longer ours. After a failure the lease from before still stands. */
rl_status rl_lock_renew(rl_lock *lock, const rl_client *client, int64_t lease_ms, rl_error *error);

/* RL_OK: we gave it back. RL_NO: it was no longer ours. */
rl_status rl_lock_release(rl_lock *lock, const rl_client *client, rl_error *error);

/*
 * Writes the release without waiting for its answer, for destructors and the end of the process. Never waits longer
 * than it takes to connect, and not at all for a server that could not be reached just before.
 */
void rl_lock_abandon(rl_lock *lock, const rl_client *client);

/* Whether there is something that rl_lock_abandon() would give back. */
bool rl_lock_owes_release(const rl_lock *lock, const rl_client *client);

/* Ends the ownership here without telling Redis. */
void rl_lock_forget(rl_lock *lock);

/* By the local clock, without I/O: whether the lease is ours, and how many microseconds of it are left (0: not held). */
bool rl_lock_is_held(const rl_lock *lock, const rl_client *client);
int64_t rl_lock_remaining(const rl_lock *lock, const rl_client *client);

/* The same by name and token, for a holder that is elsewhere. */
rl_status rl_token_release(const rl_client *client, const rl_keys *keys, rl_slice token, rl_error *error);
rl_status rl_token_renew(const rl_client *client, const rl_keys *keys, rl_slice token, int64_t lease_ms,
	rl_error *error);

/* RL_OK: something was there. RL_NO: nothing was. Never repeated: the second one could hit the next holder. */
rl_status rl_force_release(const rl_client *client, const rl_keys *keys, rl_error *error);

/* Reads the answer of the script inspect, all but the token. False: it has another shape. */
bool rl_inspection_read(rl_inspection *inspection, const rl_reply *reply);

rl_status rl_inspect(const rl_client *client, const rl_keys *keys, rl_inspection *inspection, rl_error *error);

#endif
