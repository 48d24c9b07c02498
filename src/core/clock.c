#include "rl_clock.h"

#include <math.h>
#include <time.h>
#ifdef _WIN32
# include <windows.h>
#endif

#ifdef _WIN32

/* The performance counter goes on while the machine is suspended, and nobody can set it. */
int64_t rl_clock_now(void)
{
	LARGE_INTEGER frequency, counter;

	QueryPerformanceFrequency(&frequency);
	QueryPerformanceCounter(&counter);
	/* In two parts, because the product of the whole would be too large after some weeks. */
	return counter.QuadPart / frequency.QuadPart * RL_US_PER_S
		+ counter.QuadPart % frequency.QuadPart * RL_US_PER_S / frequency.QuadPart;
}

int64_t rl_clock_wall(void)
{
	/* From 1601, in tenths of a microsecond, to 1970. */
	const int64_t epoch_us = INT64_C(11644473600) * RL_US_PER_S;
	FILETIME time;

	GetSystemTimeAsFileTime(&time);
	return (((int64_t) time.dwHighDateTime << 32) | time.dwLowDateTime) / 10 - epoch_us;
}

#else

/* CLOCK_BOOTTIME: Linux 2.6.39. macOS' CLOCK_MONOTONIC goes on during sleep as well. */
# if defined(CLOCK_BOOTTIME)
#  define RL_LEASE_CLOCK CLOCK_BOOTTIME
# else
#  define RL_LEASE_CLOCK CLOCK_MONOTONIC
# endif

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

#endif

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
