/*
 * Time, in microseconds. Leases and deadlines are measured on a clock that goes on while the machine is suspended and
 * that nobody can set: CLOCK_BOOTTIME where there is one, CLOCK_MONOTONIC elsewhere.
 */
#ifndef RL_CLOCK_H
#define RL_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

enum { RL_US_PER_MS = 1000, RL_US_PER_S = 1000000 };

/* Microseconds since some fixed moment. Never goes back. */
int64_t rl_clock_now(void);

/* Microseconds since 1970 by this machine's wall clock, which may be wrong. */
int64_t rl_clock_wall(void);

/*
 * Seconds to whole milliseconds, rounded up; what is above a whole number only by the error of a double is not (0.07 s
 * is 70 ms). False if seconds is not a number or outside [minimum, maximum] seconds.
 */
bool rl_clock_to_ms(double seconds, double minimum, double maximum, int64_t *milliseconds);

static inline int64_t rl_clock_earlier(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The milliseconds to hand to poll() to sleep from now until the deadline: 0 if it is over, rounded up, at most max. */
int rl_clock_poll_ms(int64_t now, int64_t deadline, int max);

#endif
