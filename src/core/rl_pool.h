/*
 * The connections of one thread: idle ones for whoever needs one to the same endpoint, those in use, and parked ones.
 * A forked child finds its pool empty: what it inherited is closed without a word to the server.
 */
#ifndef RL_POOL_H
#define RL_POOL_H

#include "rl_runtime.h"

enum {
	/* More than the nodes of the largest quorum, which all are in use at once. */
	RL_POOL_MAX_IDLE = 64,
	RL_POOL_MAX_PARKED = 16
};

typedef struct rl_pool rl_pool;

/* NULL: no memory. */
rl_pool *rl_pool_new(void);

/* From now on its connections are counted there. */
void rl_pool_count_in(rl_pool *pool, rl_stats *stats);

/* Closes everything, after a short wait for the replies to releases that nobody waited for. */
void rl_pool_free(rl_pool *pool);

/* At the end of a request: closes what a fatal error left in use, and idle connections that are not persistent. */
void rl_pool_end_request(rl_pool *pool);

/* How many connections there are, of every kind. */
int rl_pool_count(const rl_pool *pool);

/* The transport over real connections; its context is an rl_pool. */
extern const rl_transport rl_pool_transport;

#endif
