/* Preloaded into a server: its wall clock is off by the seconds that stand in the file CLOCK_OFFSET, an int64_t. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *offset;

__attribute__((constructor)) static void map_offset(void)
{
	const char *path = getenv("CLOCK_OFFSET");
	int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*offset), PROT_READ, MAP_SHARED, fd, 0);

	if (map != MAP_FAILED) {
		offset = map;
	}
	if (fd >= 0) {
		close(fd);
	}
}

/* Straight from the kernel: this is called before any constructor was, when no other function can be looked up. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int) syscall(SYS_clock_gettime, clock, now);

	if (result == 0 && offset != NULL && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) {
		now->tv_sec += *offset;
	}
	return result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec precise;

	(void) zone;
	clock_gettime(CLOCK_REALTIME, &precise);
	now->tv_sec = precise.tv_sec;
	now->tv_usec = precise.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *to)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (to != NULL) {
		*to = now.tv_sec;
	}
	return now.tv_sec;
}
