/*
 * What the three files of a waiter share, and nobody else: wait_place.c (the place in the queue: BLPOP, and what leaving
 * takes), wait_poke.c (the look at the lock now and then, on a second connection) and wait.c (the wait itself).
 */
#ifndef RL_WAIT_PRIVATE_H
#define RL_WAIT_PRIVATE_H

#include "rl_clock.h"
#include "rl_wait.h"

/* Without a second connection the queue is left this often, to look at the lock. */
enum { RL_WAIT_SLICE_US = 1000 * RL_US_PER_MS };

static inline int64_t rl_waiter_now(const rl_waiter *waiter)
{
	return rl_runtime_now(waiter->call->runtime);
}

static inline bool rl_waiter_is_forked(const rl_waiter *waiter)
{
	return rl_runtime_process(waiter->call->runtime) != waiter->process;
}

/* Closes one of the two connections, if it is there. */
static inline void rl_waiter_drop(const rl_waiter *waiter, rl_connection **connection)
{
	if (*connection != NULL) {
		waiter->call->runtime->transport->drop(waiter->call->runtime->connections, *connection);
		*connection = NULL;
	}
}

/* Takes a place in the queue. False: *wake says why the wait is over. */
bool rl_waiter_take_place(rl_waiter *waiter, rl_wake *wake);

/* Looks at the blocked connection. True: go on waiting; false: *wake says why the wait is over. */
bool rl_waiter_check_place(rl_waiter *waiter, rl_wake *wake);

/* When to poke next, after the holder's lease was seen: about every second, and right after the lease's end. */
void rl_waiter_schedule_poke(rl_waiter *waiter, int64_t left_ms);

/* Takes the second connection, and pokes as soon as it can. */
void rl_waiter_begin_poke(rl_waiter *waiter);

/* Looks at the second connection. */
void rl_waiter_check_poke(rl_waiter *waiter);

#endif
