#include "rl_clock.h"

#include <math.h>
#include <time.h>

/* CLOCK_BOOTTIME: Linux 2.6.39. macOS' CLOCK_MONOTONIC goes on during sleep as well. */
#if defined(CLOCK_BOOTTIME)
# define RL_LEASE_CLOCK CLOCK_BOOTTIME
#elif defined(CLOCK_MONOTONIC)
# define RL_LEASE_CLOCK CLOCK_MONOTONIC
#endif

static int64_t read_clock(clockid_t id)
{
	struct timespec time = {0};

	clock_gettime(id, &time);
	return (int64_t) time.tv_sec * RL_US_PER_S + time.tv_nsec / 1000;
}

int64_t rl_clock_now(void)
{
	return read_clock(RL_LEASE_CLOCK);
}

int64_t rl_clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

bool rl_clock_to_ms(double seconds, double minimum, double maximum, int64_t *milliseconds)
{
	/* Written so that NaN fails as well. */
	if (!(seconds >= minimum && seconds <= maximum)) {
		return false;
	}
	*milliseconds = (int64_t) ceil(seconds * 1000.0 - 1e-6);
	return true;
}

int rl_clock_poll_ms(int64_t now, int64_t deadline, int max)
{
	int64_t left = deadline - now;

	if (left <= 0) {
		return 0;
	}
	left = (left + RL_US_PER_MS - 1) / RL_US_PER_MS;
	return left < max ? (int) left : max;
}
