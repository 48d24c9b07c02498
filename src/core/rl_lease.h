/* How long a lease is valid, seen from the client. */
#ifndef RL_LEASE_H
#define RL_LEASE_H

#include "rl_clock.h"

enum {
	RL_LEASE_MIN_MS = 10,
	/* Of a fence that nobody uses, 7 days: redislock.fence_retention, and what acquire.lua takes where none is named. */
	RL_LEASE_RETENTION_MS = 604800 * 1000
};

#define RL_LEASE_MIN_SECONDS 0.01
#define RL_LEASE_MAX_SECONDS 2678400.0   /* 31 days */
#define RL_WAIT_MAX_SECONDS 86400.0

/*
 * The moment at which the holder must stop to rely on a lease of lease_ms that it asked for at sent_at. The server
 * cannot have started it before it was sent; 1 % and 2 ms are for clocks that do not run equally fast and for Redis'
 * own precision (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/).
 */
static inline int64_t rl_lease_end(int64_t sent_at, int64_t lease_ms)
{
	return sent_at + lease_ms * RL_US_PER_MS - lease_ms * 10 - 2 * RL_US_PER_MS;
}

/* How long to keep the fence of a lock: the setting, but never less than twice the lease. */
static inline int64_t rl_lease_retention(int64_t retention_ms, int64_t lease_ms)
{
	return retention_ms > 2 * lease_ms ? retention_ms : 2 * lease_ms;
}

#endif
