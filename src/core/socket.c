#include "rl_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef MSG_NOSIGNAL
# define MSG_NOSIGNAL 0   /* macOS has SO_NOSIGPIPE instead, set below */
#endif

static int make_socket(int family)
{
#ifdef SOCK_CLOEXEC
	return socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
#else
	int fd = socket(family, SOCK_STREAM, 0);

	if (fd >= 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	}
	return fd;
#endif
}

static void set_option(int fd, int level, int option, int value)
{
	/* Each of them only makes things better: a system without it works as well. */
	setsockopt(fd, level, option, &value, sizeof(value));
}

static int connect_socket(int fd, const struct sockaddr *address, socklen_t length)
{
	if (fd < 0) {
		return -1;
	}
#ifdef SO_NOSIGPIPE
	set_option(fd, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
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
#ifdef TCP_KEEPIDLE
		set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
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

void rl_socket_hang_up(int fd)
{
	shutdown(fd, SHUT_WR);
}

ssize_t rl_socket_send(int fd, const char *data, size_t length)
{
	return send(fd, data, length, MSG_NOSIGNAL);
}

ssize_t rl_socket_receive(int fd, char *to, size_t size)
{
	return recv(fd, to, size, 0);
}

ssize_t rl_socket_peek(int fd, char *to, size_t size)
{
	return recv(fd, to, size, MSG_PEEK | MSG_DONTWAIT);
}
