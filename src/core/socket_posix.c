/* What socket.c needs of a system, and the functions of rl_socket.h that it does not have, on all systems but Windows. */
#include "rl_socket_system.h"

#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#ifndef MSG_NOSIGNAL
# define MSG_NOSIGNAL 0   /* older macOS has SO_NOSIGPIPE instead, set below */
#endif

#ifdef SOCK_CLOEXEC

int rl_socket_make(int family)
{
	return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool rl_socket_pair(int pair[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0;
}

#else

/* What socket() cannot be asked for here. A fork and exec of another thread in between would inherit it. */
static void set_flags(int fd, int flags)
{
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	if (flags != 0) {
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | flags);
	}
# ifdef SO_NOSIGPIPE
	rl_socket_set(fd, SOL_SOCKET, SO_NOSIGPIPE, 1);
# endif
}

int rl_socket_make(int family)
{
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd >= 0) {
		set_flags(fd, O_NONBLOCK);
	}
	return fd;
}

bool rl_socket_pair(int pair[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
		return false;
	}
	set_flags(pair[0], 0);
	set_flags(pair[1], 0);
	return true;
}

#endif

bool rl_socket_begin(int fd, const struct sockaddr *address, size_t length)
{
	if (connect(fd, address, (socklen_t) length) == 0 || errno == EINPROGRESS || errno == EINTR) {
		return true;
	}
	/* A full backlog of a unix socket answers EAGAIN, which means something else to our callers. */
	if (errno == EAGAIN) {
		errno = ECONNREFUSED;
	}
	return false;
}

int rl_socket_check(int fd)
{
	struct pollfd descriptor = {.fd = fd, .events = POLLOUT};
	socklen_t length = sizeof(int);
	int problem = 0;

	if (poll(&descriptor, 1, 0) == 0) {
		return EINPROGRESS;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &problem, &length) != 0) {
		return errno;
	}
	return problem;
}

int rl_socket_poll(struct pollfd *descriptors, int count, int timeout_ms)
{
	return poll(descriptors, (nfds_t) count, timeout_ms);
}

void rl_socket_hang_up(int fd)
{
	shutdown(fd, SHUT_WR);
}

void rl_socket_close(int fd)
{
	close(fd);
}

bool rl_socket_let_receive_wait(int fd)
{
#ifdef __linux__
	struct timeval longest = {.tv_usec = RL_SOCKET_WAIT_MS * 1000};
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof(longest)) == 0
		&& fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) == 0;
#else
	(void) fd;
	return false;
#endif
}

ssize_t rl_socket_wait_and_receive(int fd, char *to, size_t size)
{
	return recv(fd, to, size, 0);
}

ssize_t rl_socket_send(int fd, const char *data, size_t length)
{
	return send(fd, data, length, MSG_NOSIGNAL | MSG_DONTWAIT);
}

ssize_t rl_socket_receive(int fd, char *to, size_t size)
{
	return recv(fd, to, size, MSG_DONTWAIT);
}

ssize_t rl_socket_peek(int fd, char *to, size_t size)
{
	return recv(fd, to, size, MSG_PEEK | MSG_DONTWAIT);
}

#endif
