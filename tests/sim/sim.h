/*
 * What every part of the simulation shares: its time, its dice, its trace, and the rule that was broken.
 *
 * A schedule is everything that happens from one seed. Nothing else is random: the same seed gives the same schedule.
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	SIM_CLIENTS = 6,     /* processes, the last one looks at the end whether everything still works */
	SIM_NODES = 7
};

#define SIM_NEVER INT64_MAX
#define SIM_MS INT64_C(1000)
#define SIM_S INT64_C(1000000)

/* Microseconds since the schedule began, as an observer outside of it counts them. No client and no node sees this. */
extern int64_t sim_now;

/* Begins a schedule. */
void sim_begin(uint64_t seed, bool trace);

/* Dice. Ranges include both ends. */
uint64_t sim_random(void);
int64_t sim_between(int64_t least, int64_t most);
bool sim_chance(int percent);
/* Each power of two is as likely as the next: what is short and what is long both happen. */
int64_t sim_spread(int64_t least, int64_t most);

/* Prints an event, if the schedule is traced. */
void sim_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool sim_is_traced(void);

/* A rule is broken: only the first one of a schedule counts. */
void sim_break(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Which one, NULL: none so far. */
const char *sim_broken(void);

/* Makes a number part of what tells one schedule from another. */
void sim_mix(uint64_t number);
uint64_t sim_digest(void);

/* What happened, so that it is visible that the interesting things do. */
typedef enum sim_count {
	SIM_EVENTS,
	SIM_ACQUIRED,
	SIM_CONTENDED,
	SIM_LOST,
	SIM_UNCERTAIN,
	SIM_FAILED,
	SIM_NO_QUORUM,
	SIM_INTERRUPTED,
	SIM_ATTACHED,
	SIM_RENEWED,
	SIM_RELEASED,
	SIM_NOT_OURS,
	SIM_RAISES,
	SIM_SIT_OUTS,
	SIM_REPEATS,
	SIM_RENAMED,
	SIM_LATE_GRANTS,
	SIM_HAND_OVERS,
	SIM_TAKEN_OVER,
	SIM_ASKED_AGAIN,
	SIM_PASSED_ON,
	SIM_POKES,
	SIM_POKE_RESERVED,
	SIM_WAKE_UPS_WATCHED,
	SIM_PARKED_LOST,
	SIM_SPIKES,
	SIM_STALLS,
	SIM_CUTS,
	SIM_PARTITIONS,
	SIM_CRASHES,
	SIM_MEMORY_LOST,
	SIM_SNAPSHOTS,
	SIM_HANGS,
	SIM_FULL,
	SIM_PAUSES,
	SIM_LONG_PAUSES,
	SIM_DEATHS,
	SIM_FORKS,
	SIM_CLOCKS_SET,
	SIM_COUNTS
} sim_count;

extern long sim_counts[SIM_COUNTS];
extern const char *const sim_count_names[SIM_COUNTS];

#endif
