/*
 * Moves the wall clock of one process, and lets the test move it further while the process runs. To be preloaded; the
 * file named by CHAOS_CLOCK holds the offset, in microseconds, as eight bytes. The clocks that only measure how much
 * time has passed are left alone, as they are when somebody sets the date.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t none;
static volatile int64_t *offset = &none;
static int (*real_clock_gettime)(clockid_t, struct timespec *);

__attribute__((constructor)) static void start(void)
{
	const char *name = getenv("CHAOS_CLOCK");
	int fd = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;

	real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	if (fd >= 0) {
		void *map = mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED) {
			offset = map;
		}
		close(fd);
	}
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	/* Somebody may ask for the time before our constructor has run. */
	if (!real_clock_gettime) {
		real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
	}
	int result = real_clock_gettime(id, t);
	if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
		int64_t us = t->tv_sec * INT64_C(1000000) + t->tv_nsec / 1000 + *offset;
		t->tv_nsec = (us % 1000000) * 1000 + t->tv_nsec % 1000;
		t->tv_sec = us / 1000000;
	}
	return result;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out) {
		*out = now.tv_sec;
	}
	return now.tv_sec;
}
