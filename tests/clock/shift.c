/*
 * Preloaded into a process: moves its wall clock by the number of microseconds, an int64_t, in the file that
 * CLOCK_SHIFT_FILE names, while it runs. libfaketime cannot do that; it hangs redis-server. The clocks that only measure
 * how much time has passed stay as they are, as they do when somebody sets the date.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t shift(void)
{
	static volatile const int64_t *shared;

	if (shared == NULL) {
		const char *name = getenv("CLOCK_SHIFT_FILE");
		int fd = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
		void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(*shared), PROT_READ, MAP_SHARED, fd, 0);

		if (map == MAP_FAILED) {
			abort();
		}
		close(fd);
		shared = map;
	}
	return *shared;
}

/* Straight from the kernel: this is called before any constructor was, when no other function can be looked up. */
int clock_gettime(clockid_t id, struct timespec *time)
{
	int result = (int) syscall(SYS_clock_gettime, id, time);

	if (result == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
		int64_t moved = (int64_t) time->tv_sec * 1000000 + time->tv_nsec / 1000 + shift();

		time->tv_nsec = moved % 1000000 * 1000 + time->tv_nsec % 1000;
		time->tv_sec = moved / 1000000;
	}
	return result;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone)
{
	struct timespec now;

	(void) zone;
	clock_gettime(CLOCK_REALTIME, &now);
	time->tv_sec = now.tv_sec;
	time->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *where)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (where != NULL) {
		*where = now.tv_sec;
	}
	return now.tv_sec;
}
