/*
 * The system calls of the core, every one of them: linked with --wrap, so that the core itself is compiled unchanged.
 * Outside of a simulated process they are what they always are.
 */
#include "wire.h"
#include "process.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* Above every descriptor that is real. */
enum { FIRST_DESCRIPTOR = 1 << 20 };

int __real_socket(int family, int type, int protocol);
int __real_connect(int fd, const struct sockaddr *address, socklen_t length);
ssize_t __real_send(int fd, const void *data, size_t length, int flags);
ssize_t __real_recv(int fd, void *to, size_t size, int flags);
int __real_shutdown(int fd, int how);
int __real_poll(struct pollfd *descriptors, nfds_t count, int timeout);
int __real_close(int fd);
int __real_getsockopt(int fd, int level, int option, void *value, socklen_t *length);
int __real_setsockopt(int fd, int level, int option, const void *value, socklen_t length);
pid_t __real_getpid(void);
int __real_clock_gettime(clockid_t clock, struct timespec *time);

int __wrap_socket(int family, int type, int protocol);
int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length);
ssize_t __wrap_send(int fd, const void *data, size_t length, int flags);
ssize_t __wrap_recv(int fd, void *to, size_t size, int flags);
int __wrap_shutdown(int fd, int how);
int __wrap_poll(struct pollfd *descriptors, nfds_t count, int timeout);
int __wrap_close(int fd);
int __wrap_getsockopt(int fd, int level, int option, void *value, socklen_t *length);
int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t length);
pid_t __wrap_getpid(void);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);

static bool is_simulated(int fd)
{
	return process_current != NULL && fd >= FIRST_DESCRIPTOR;
}

static wire *get_wire(int fd)
{
	return &wire_all[fd - FIRST_DESCRIPTOR];
}

int __wrap_socket(int family, int type, int protocol)
{
	if (process_current == NULL) {
		return __real_socket(family, type, protocol);
	}
	process_step(process_current);
	if (process_current->dead) {
		errno = EMFILE;
		return -1;
	}
	return FIRST_DESCRIPTOR + wire_new(process_current->id);
}

int __wrap_connect(int fd, const struct sockaddr *address, socklen_t length)
{
	if (!is_simulated(fd)) {
		return __real_connect(fd, address, length);
	}
	process_step(process_current);
	if (process_current->dead) {
		errno = ECONNREFUSED;
		return -1;
	}
	/* The path of node 2 is "/2". */
	wire_connect(get_wire(fd), atoi(((const struct sockaddr_un *) address)->sun_path + 1));
	errno = EINPROGRESS;
	return -1;
}

ssize_t __wrap_send(int fd, const void *data, size_t length, int flags)
{
	wire *wire;
	size_t taken;

	if (!is_simulated(fd)) {
		return __real_send(fd, data, length, flags);
	}
	wire = get_wire(fd);
	process_step(process_current);
	if (process_current->dead || wire->down.end == WIRE_RESET) {
		errno = ECONNRESET;
		return -1;
	}
	taken = wire_write(wire, data, length, process_current->operation);
	if (taken == 0) {
		errno = EAGAIN;
		return -1;
	}
	return (ssize_t) taken;
}

ssize_t __wrap_recv(int fd, void *to, size_t size, int flags)
{
	wire *wire;
	size_t taken;

	if (!is_simulated(fd)) {
		return __real_recv(fd, to, size, flags);
	}
	wire = get_wire(fd);
	process_step(process_current);
	if (process_current->dead) {
		errno = ECONNRESET;
		return -1;
	}
	taken = wire_read(wire, to, size, (flags & MSG_PEEK) != 0);
	if (taken > 0 || wire->down.end == WIRE_FINISHED) {
		return (ssize_t) taken;
	}
	errno = wire->down.end == WIRE_RESET ? ECONNRESET : EAGAIN;
	return -1;
}

int __wrap_shutdown(int fd, int how)
{
	if (!is_simulated(fd)) {
		return __real_shutdown(fd, how);
	}
	process_step(process_current);
	if (!process_current->dead) {
		wire_hang_up(get_wire(fd));
	}
	return 0;
}

/* What poll() would say of a connection now. */
static short look_at(const wire *wire, short events)
{
	short found = 0;

	if (wire->refused) {
		return POLLERR | POLLOUT;
	}
	if (wire->connecting) {
		return 0;
	}
	if ((events & POLLIN) && wire_can_read(wire)) {
		found |= POLLIN;
	}
	if ((events & POLLOUT) && wire->room) {
		found |= POLLOUT;
	}
	return found;
}

int __wrap_poll(struct pollfd *descriptors, nfds_t count, int timeout)
{
	process *process = process_current;
	int ready = 0;

	if (process == NULL) {
		return __real_poll(descriptors, count, timeout);
	}
	process_step(process);
	process->watched_count = (int) count;
	for (nfds_t i = 0; i < count && !process->dead; i++) {
		int number = descriptors[i].fd - FIRST_DESCRIPTOR;

		process->watched[i] = look_at(&wire_all[number], descriptors[i].events) != 0 ? number : ~number;
	}
	if (process_poll(process, timeout) < 0) {
		return -1;
	}
	for (nfds_t i = 0; i < count && !process->dead; i++) {
		descriptors[i].revents = look_at(get_wire(descriptors[i].fd), descriptors[i].events);
		ready += descriptors[i].revents != 0;
	}
	return ready;
}

int __wrap_close(int fd)
{
	if (!is_simulated(fd)) {
		return __real_close(fd);
	}
	process_step(process_current);
	if (!process_current->dead) {
		wire_close(get_wire(fd));
	}
	return 0;
}

int __wrap_getsockopt(int fd, int level, int option, void *value, socklen_t *length)
{
	int problem = 0;

	if (!is_simulated(fd)) {
		return __real_getsockopt(fd, level, option, value, length);
	}
	if (process_current->dead || get_wire(fd)->refused) {
		problem = ECONNREFUSED;
	}
	memcpy(value, &problem, sizeof(problem));
	return 0;
}

int __wrap_setsockopt(int fd, int level, int option, const void *value, socklen_t length)
{
	return is_simulated(fd) ? 0 : __real_setsockopt(fd, level, option, value, length);
}

pid_t __wrap_getpid(void)
{
	return process_current != NULL ? process_current->pid : __real_getpid();
}

int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int64_t us;

	if (process_current == NULL) {
		return __real_clock_gettime(clock, time);
	}
	process_step(process_current);
	us = clock == CLOCK_REALTIME ? process_wall(process_current) : process_clock(process_current);
	time->tv_sec = us / SIM_S;
	time->tv_nsec = us % SIM_S * 1000;
	return 0;
}
