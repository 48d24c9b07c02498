/* Sockets as far as they are the same on all systems; socket_posix.c and socket_windows.c have the rest of rl_socket.h. */
#include "rl_socket_system.h"

#include <errno.h>
#include <string.h>
#ifdef _WIN32
# include <afunix.h>
#else
# include <netinet/in.h>
# include <netinet/tcp.h>
# include <sys/un.h>
#endif

void rl_socket_set(int fd, int level, int option, int value)
{
	setsockopt(fd, level, option, (const void *) &value, sizeof(value));
}

static int begin(int fd, const struct sockaddr *address, size_t length)
{
	int reason;

	if (fd < 0 || rl_socket_begin(fd, address, length)) {
		return fd;
	}
	reason = errno;
	rl_socket_close(fd);
	errno = reason;
	return -1;
}

int rl_socket_connect(const struct addrinfo *address)
{
	int fd = rl_socket_make(address->ai_family);

	if (fd >= 0) {
		rl_socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
		/* A peer that is gone without a word is noticed within a minute, also by a connection that only waits. */
		rl_socket_set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
#if defined(TCP_KEEPIDLE)
		rl_socket_set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
#elif defined(TCP_KEEPALIVE)
		rl_socket_set(fd, IPPROTO_TCP, TCP_KEEPALIVE, 30);   /* its name on macOS */
#endif
#ifdef TCP_KEEPINTVL
		rl_socket_set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 10);
#endif
#ifdef TCP_KEEPCNT
		rl_socket_set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
	}
	return begin(fd, address->ai_addr, address->ai_addrlen);
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
	memcpy(address.sun_path, path, strlen(path));
	return begin(rl_socket_make(AF_UNIX), (const struct sockaddr *) &address, sizeof(address));
}
