/*
 * The system calls under a connection. The sockets are close-on-exec and raise no SIGPIPE, and nothing waits but
 * rl_socket_poll() and rl_socket_wait_and_receive().
 */
#ifndef RL_SOCKET_H
#define RL_SOCKET_H

#include "rl_platform.h"

#include <stdbool.h>
#include <stddef.h>
#ifdef _WIN32
# include <winsock2.h>
# include <ws2tcpip.h>
#else
# include <netdb.h>
# include <poll.h>
#endif

/* Begin to connect. A descriptor, or -1 with errno. */
int rl_socket_connect(const struct addrinfo *address);
int rl_socket_connect_unix(const char *path);

/* The longest path of a unix socket, in bytes. */
size_t rl_socket_path_max(void);

/* How a connect that has begun stands: 0 connected, EINPROGRESS, or the reason why it failed. */
int rl_socket_check(int fd);

/* As poll(). */
int rl_socket_poll(struct pollfd *descriptors, int count, int timeout_ms);

/* Sends the end of the stream; receiving goes on. */
void rl_socket_hang_up(int fd);

/* As close(). */
void rl_socket_close(int fd);

enum { RL_SOCKET_WAIT_MS = 100 };

/*
 * From now on rl_socket_wait_and_receive() may be used: recv() that waits for at most RL_SOCKET_WAIT_MS, and fails with
 * EAGAIN after it, with EINTR when a signal came (also with SA_RESTART, see signal(7)). It saves the poll() before a
 * recv(). False: not on this system; the socket is what it was.
 */
bool rl_socket_let_receive_wait(int fd);
ssize_t rl_socket_wait_and_receive(int fd, char *to, size_t size);

/* As send(), recv() and recv(MSG_PEEK). */
ssize_t rl_socket_send(int fd, const char *data, size_t length);
ssize_t rl_socket_receive(int fd, char *to, size_t size);
ssize_t rl_socket_peek(int fd, char *to, size_t size);

/* Two sockets that are connected with each other, and may block. False: there are none. */
bool rl_socket_pair(int pair[2]);

#endif
