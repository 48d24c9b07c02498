/* The functions of rl_socket.h on all systems but Windows, which has them in socket_windows.c. */
#include "rl_socket.h"

#ifndef _WIN32

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#ifndef MSG_NOSIGNAL
# define MSG_NOSIGNAL 0   /* older macOS has SO_NOSIGPIPE instead, set below */
#endif

static void set_option(int fd, int level, int option, int value)
{
	/* Each of them only makes things better: a system without it works as well. */
	setsockopt(fd, level, option, &value, sizeof(value));
}

#ifdef SOCK_CLOEXEC

static int make_socket(int family)
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
	set_option(fd, SOL_SOCKET, SO_NOSIGPIPE, 1);
# endif
}

static int make_socket(int family)
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

static int connect_socket(int fd, const struct sockaddr *address, socklen_t length)
{
	if (fd < 0) {
		return -1;
	}
	if (connect(fd, address, length) != 0 && errno != EINPROGRESS && errno != EINTR) {
		int reason = errno;

		close(fd);
		/* A full backlog of a unix socket answers EAGAIN, which means something else to our callers. */
		errno = reason == EAGAIN ? ECONNREFUSED : reason;
		return -1;
	}
	return fd;
}

int rl_socket_connect(const struct addrinfo *address)
{
	int fd = make_socket(address->ai_family);

	if (fd >= 0) {
		set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
		/* A peer that is gone without a word is noticed within a minute, also by a connection that only waits. */
		set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE)
		set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
#elif defined(TCP_KEEPALIVE)
		set_option(fd, IPPROTO_TCP, TCP_KEEPALIVE, 30);   /* its name on macOS */
#endif
#ifdef TCP_KEEPINTVL
		set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
#endif
#ifdef TCP_KEEPCNT
		set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
	}
	return connect_socket(fd, address->ai_addr, address->ai_addrlen);
}

size_t rl_socket_path_max(void)
{
	return sizeof(((struct sockaddr_un *) NULL)->sun_path) - 1;
}

int rl_socket_connect_unix(const char *path)
{
	struct sockaddr_un address;

	memset(&address, 0, sizeof(address));
	address.sun_family = AF_UNIX;
	/* The length was checked when the DSN was parsed. */
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	return connect_socket(make_socket(AF_UNIX), (const struct sockaddr *) &address, sizeof(address));
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
