/* What socket.c needs of a system, and the functions of rl_socket.h that it does not have, on Windows. */
#include "rl_socket_system.h"

#ifdef _WIN32

#include <errno.h>
#include <limits.h>

/* Winsock keeps errors of its own; the callers know those of POSIX. */
static int to_errno(int problem)
{
	switch (problem) {
		case 0: return 0;
		case WSAEWOULDBLOCK: return EAGAIN;
		case WSAEINPROGRESS: return EINPROGRESS;
		case WSAEINTR: return EINTR;
		case WSAECONNREFUSED: return ECONNREFUSED;
		case WSAECONNRESET: return ECONNRESET;
		case WSAECONNABORTED: return ECONNABORTED;
		case WSAETIMEDOUT: return ETIMEDOUT;
		case WSAEHOSTUNREACH: return EHOSTUNREACH;
		case WSAENETUNREACH: return ENETUNREACH;
		case WSAENETDOWN: return ENETDOWN;
		case WSAEADDRNOTAVAIL: return EADDRNOTAVAIL;
		case WSAEAFNOSUPPORT: return EAFNOSUPPORT;
		case WSAENOTCONN: return ENOTCONN;
		case WSAESHUTDOWN: return EPIPE;
		case WSAEACCES: return EACCES;
		case WSAEMFILE: return EMFILE;
		case WSAENOBUFS: return ENOBUFS;
		case WSAEINVAL: return EINVAL;
		default: return EIO;
	}
}

static int note_error(void)
{
	errno = to_errno(WSAGetLastError());
	return -1;
}

/* A handle of a socket is a small number, also where the type is a wide one, so it fits where POSIX has a descriptor. */
int rl_socket_make(int family)
{
	SOCKET made = WSASocketW(family, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
	u_long on = 1;

	if (made == INVALID_SOCKET) {
		return note_error();
	}
	if (ioctlsocket(made, FIONBIO, &on) != 0) {
		note_error();
		closesocket(made);
		return -1;
	}
	return (int) made;
}

bool rl_socket_begin(int fd, const struct sockaddr *address, size_t length)
{
	if (connect((SOCKET) fd, address, (int) length) == 0 || WSAGetLastError() == WSAEWOULDBLOCK) {
		return true;
	}
	note_error();
	return false;
}

int rl_socket_check(int fd)
{
	struct timeval at_once = {0, 0};
	int problem = 0, length = sizeof(problem);
	fd_set connected, failed;

	/* Not WSAPoll(): before Windows 10 2004 it does not tell of a connect that failed. */
	FD_ZERO(&connected);
	FD_ZERO(&failed);
	FD_SET((SOCKET) fd, &connected);
	FD_SET((SOCKET) fd, &failed);
	if (select(0, NULL, &connected, &failed, &at_once) == 0) {
		return EINPROGRESS;
	}
	if (getsockopt((SOCKET) fd, SOL_SOCKET, SO_ERROR, (char *) &problem, &length) != 0) {
		return to_errno(WSAGetLastError());
	}
	return to_errno(problem);
}

int rl_socket_poll(struct pollfd *descriptors, int count, int timeout_ms)
{
	int ready = WSAPoll(descriptors, (ULONG) count, timeout_ms);

	return ready == SOCKET_ERROR ? note_error() : ready;
}

void rl_socket_hang_up(int fd)
{
	shutdown((SOCKET) fd, SD_SEND);
}

void rl_socket_close(int fd)
{
	closesocket((SOCKET) fd);
}

ssize_t rl_socket_send(int fd, const char *data, size_t length)
{
	int sent = send((SOCKET) fd, data, length > INT_MAX ? INT_MAX : (int) length, 0);

	return sent == SOCKET_ERROR ? note_error() : sent;
}

static ssize_t receive(int fd, char *to, size_t size, int flags)
{
	int got = recv((SOCKET) fd, to, size > INT_MAX ? INT_MAX : (int) size, flags);

	return got == SOCKET_ERROR ? note_error() : got;
}

bool rl_socket_let_receive_wait(int fd)
{
	(void) fd;
	return false;
}

ssize_t rl_socket_wait_and_receive(int fd, char *to, size_t size)
{
	return receive(fd, to, size, 0);
}

ssize_t rl_socket_receive(int fd, char *to, size_t size)
{
	return receive(fd, to, size, 0);
}

ssize_t rl_socket_peek(int fd, char *to, size_t size)
{
	return receive(fd, to, size, MSG_PEEK);
}

/* Takes the connection that came from `from`, and not one of somebody else on this machine. */
static SOCKET accept_from(SOCKET listener, SOCKET from)
{
	struct sockaddr_in wanted, peer;
	int wanted_length = sizeof(wanted), length = sizeof(peer);
	SOCKET accepted = accept(listener, (struct sockaddr *) &peer, &length);

	if (accepted != INVALID_SOCKET && (getsockname(from, (struct sockaddr *) &wanted, &wanted_length) != 0
			|| wanted.sin_port != peer.sin_port || wanted.sin_addr.s_addr != peer.sin_addr.s_addr)) {
		closesocket(accepted);
		return INVALID_SOCKET;
	}
	return accepted;
}

/* Windows has no socketpair(). */
bool rl_socket_pair(int pair[2])
{
	struct sockaddr_in address = {0};
	int length = sizeof(address);
	SOCKET listener = WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
	SOCKET first = INVALID_SOCKET, second = INVALID_SOCKET;

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (listener != INVALID_SOCKET && bind(listener, (struct sockaddr *) &address, sizeof(address)) == 0
			&& listen(listener, 1) == 0 && getsockname(listener, (struct sockaddr *) &address, &length) == 0) {
		first = WSASocketW(AF_INET, SOCK_STREAM, 0, NULL, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
	}
	if (first != INVALID_SOCKET && connect(first, (struct sockaddr *) &address, sizeof(address)) == 0) {
		second = accept_from(listener, first);
	}
	if (listener != INVALID_SOCKET) {
		closesocket(listener);
	}
	if (second == INVALID_SOCKET) {
		if (first != INVALID_SOCKET) {
			closesocket(first);
		}
		return false;
	}
	pair[0] = (int) first;
	pair[1] = (int) second;
	return true;
}

#endif
