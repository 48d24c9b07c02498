/*
 * What the locks do, counted by all processes together: plain atomic counters in memory that is shared by every process
 * forked after it was made. No lock is taken, nothing is waited for, and no call is made to the system, so a process can
 * be killed at any point of it: what it was about to add is missing, and nothing else.
 */
#ifndef RL_STATS_H
#define RL_STATS_H

#include "rl_buffer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Counted per group of locks. */
typedef enum rl_counter {
	/* Every call of acquire is one attempt, and ends in one of the next three, in an error, or is interrupted. */
	RL_COUNT_ATTEMPTS,
	RL_COUNT_ACQUIRED,
	RL_COUNT_REFUSED,              /* held by somebody else, and there was no time to wait */
	RL_COUNT_TIMED_OUT,            /* held by somebody else to the end of the wait */
	RL_COUNT_CONTENDED,            /* met another holder at least once, whatever came of it */
	RL_COUNT_HANDED_OVER,          /* acquired by a waiter that was woken for it */
	RL_COUNT_ATTACHED,
	RL_COUNT_RENEWED,
	RL_COUNT_RENEWALS_REFUSED,     /* no longer ours */
	/* Every ownership ends in one of these, if its process lives to see it and does not detach. */
	RL_COUNT_RELEASED,
	RL_COUNT_RELEASED_AUTOMATICALLY,   /* by the end of the object or the request; nobody waits for the answer */
	RL_COUNT_RELEASED_LATE,        /* the lease was over by then */
	RL_COUNT_LOST,                 /* gone, although the lease was not over */
	/* Calls that failed, in the order of their exceptions. */
	RL_COUNT_ERRORS_CONNECTION,
	RL_COUNT_ERRORS_UNCERTAIN,
	RL_COUNT_ERRORS_SERVER,
	RL_COUNT_ERRORS_QUORUM,
	RL_COUNT_ERRORS_LOST,          /* a grant that arrived when its lease was over */
	RL_COUNT_ERRORS_SYSTEM,
	RL_COUNTERS
} rl_counter;

/* Of what locks share: the way to the servers. */
typedef enum rl_wire_counter {
	RL_COUNT_CONNECTIONS,          /* opened, the next one included */
	RL_COUNT_RECONNECTS,           /* opened in the place of one that was broken, or that led to the wrong server */
	RL_COUNT_PARKED,               /* given up with a command under way */
	RL_COUNT_REPEATS,              /* commands sent again, because their answer was lost */
	RL_COUNT_ORPHANS,              /* grants that nobody can use: a release was written behind each */
	RL_COUNT_RAISES,               /* attempts on a quorum that needed a second round for the fence */
	RL_COUNT_NODE_FAILURES,        /* of one node of a quorum, also where the majority did without it */
	RL_COUNT_FENCES_AHEAD,         /* fences more than a minute ahead of the server's clock: it was set back */
	RL_WIRE_COUNTERS
} rl_wire_counter;

/* Counted per group of locks. */
typedef enum rl_histogram_id {
	RL_HISTOGRAM_WAIT,             /* microseconds from the call of acquire to its grant */
	RL_HISTOGRAM_HOLD,             /* microseconds from the grant to the end of the ownership */
	RL_HISTOGRAM_LEASE_USED,       /* per mille of the lease that was over when it was given back; over 1000: too late */
	RL_HISTOGRAMS,
	/* Not per group: microseconds from sending a command to its answer. */
	RL_HISTOGRAM_ROUND_TRIP = RL_HISTOGRAMS
} rl_histogram_id;

enum {
	RL_STATS_GROUPS = 64,          /* and one more for all others */
	RL_STATS_OTHER = RL_STATS_GROUPS,
	RL_STATS_GROUP_NAME = 64,      /* longest name of a group, with its terminator */
	RL_STATS_BUCKETS = 18
};

typedef struct rl_histogram {
	_Atomic uint64_t buckets[RL_STATS_BUCKETS + 1];   /* the last one: larger than every bound */
	_Atomic uint64_t sum;
} rl_histogram;

typedef struct rl_stats_group {
	/* 0: not in use. It is what claims the place, so that no two places can have one name. */
	_Atomic uint64_t hash;
	/* Written by everybody who finds it missing, always with the same bytes; then `named` is set. */
	_Atomic uint64_t name[RL_STATS_GROUP_NAME / 8];
	atomic_bool named;
	_Atomic uint64_t counters[RL_COUNTERS];
	rl_histogram histograms[RL_HISTOGRAMS];
} rl_stats_group;

typedef struct rl_stats {
	rl_stats_group groups[RL_STATS_GROUPS + 1];
	_Atomic uint64_t wire[RL_WIRE_COUNTERS];
	rl_histogram round_trip;
	bool grouped;                  /* whether locks are counted by group; if not, all belong to RL_STATS_OTHER */
} rl_stats;

/* Makes the shared memory. NULL: there is none; everything below takes that and does nothing. */
rl_stats *rl_stats_new(bool grouped);
void rl_stats_free(rl_stats *stats);

/*
 * The group of a lock: the part of its name before the first ':', made readable (see rl_stats_group_name()). A name
 * without ':', one that begins with it, and every group after the first 64 belong to RL_STATS_OTHER. Never fails.
 */
int rl_stats_find_group(rl_stats *stats, rl_slice name);

/*
 * Copies the name of a group: terminated, valid UTF-8, without control characters, at most 63 bytes, and no two groups
 * have the same. What was anything else in the lock's name is written \xHH. False: the group is not in use.
 */
bool rl_stats_group_name(const rl_stats *stats, int group, char name[RL_STATS_GROUP_NAME]);

static inline void rl_stats_count(rl_stats *stats, int group, rl_counter counter)
{
	if (stats != NULL) {
		atomic_fetch_add_explicit(&stats->groups[group].counters[counter], 1, memory_order_relaxed);
	}
}

static inline void rl_stats_count_wire(rl_stats *stats, rl_wire_counter counter)
{
	if (stats != NULL) {
		atomic_fetch_add_explicit(&stats->wire[counter], 1, memory_order_relaxed);
	}
}

/* Adds a value, in the unit of the histogram; less than nothing counts as nothing. */
void rl_stats_observe(rl_stats *stats, int group, rl_histogram_id histogram, int64_t value);

/* The upper bound of a bucket, in the unit of the histogram. */
int64_t rl_stats_bound(rl_histogram_id histogram, int bucket);

#endif
