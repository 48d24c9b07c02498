/*
 * Locks on a quorum of independent nodes (Redlock, https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/),
 * with fences. The counterparts of the functions of rl_lock.h, which call these for a client with nodes; same contracts.
 * RL_QUORUM: fewer than a majority answered, or they did not agree.
 */
#ifndef RL_QUORUM_H
#define RL_QUORUM_H

#include "rl_lock.h"

enum {
	/* Longer than every lease by this much sits a node out that lost its memory. */
	RL_QUORUM_SIT_OUT_MARGIN_MS = 120 * 1000,
	/* The shortest retention of a fence on a quorum. */
	RL_QUORUM_MIN_RETENTION_MS = 600 * 1000
};

/* See rl_lock_acquire(). moment: now. The lock has no ownership. */
rl_status rl_quorum_acquire(rl_lock *lock, const rl_client *client, int64_t moment, int64_t wait_ms,
	const rl_slice *chosen, rl_error *error);
rl_status rl_quorum_attach(rl_lock *lock, const rl_client *client, rl_slice token, rl_error *error);
rl_status rl_quorum_renew(rl_call *call, const rl_keys *keys, rl_slice token, int64_t lease_ms, int64_t *valid_until);
rl_status rl_quorum_release(rl_call *call, const rl_keys *keys, rl_slice token, int64_t fence);
rl_status rl_quorum_force_release(const rl_client *client, const rl_keys *keys, rl_error *error);
rl_status rl_quorum_inspect(const rl_client *client, const rl_keys *keys, rl_inspection *inspection, rl_error *error);

/*
 * Puts the nodes of a new quorum into service. The caller knows that no lease can be running. RL_QUORUM: a node did not
 * answer, or is in service already; no node was changed, unless it failed between the two rounds.
 */
rl_status rl_quorum_initialize(const rl_client *client, rl_error *error);

/* The key that remembers which server has been here, to be freed with rl_buffer_free(). False: no memory. */
bool rl_quorum_node_key(const rl_client *client, rl_buffer *key);

#endif
