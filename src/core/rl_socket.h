/* The system calls under a connection, all of them non-blocking, close-on-exec and without SIGPIPE. */
#ifndef RL_SOCKET_H
#define RL_SOCKET_H

#include <netdb.h>
#include <stddef.h>
#include <sys/types.h>

/* Begin to connect. A descriptor, or -1 with errno. */
int rl_socket_connect(const struct addrinfo *address);
int rl_socket_connect_unix(const char *path);

/* How a connect that has begun stands: 0 connected, EINPROGRESS, or the reason why it failed. */
int rl_socket_check(int fd);

/* Sends the end of the stream; receiving goes on. */
void rl_socket_hang_up(int fd);

/* As send(), recv() and recv(MSG_PEEK). */
ssize_t rl_socket_send(int fd, const char *data, size_t length);
ssize_t rl_socket_receive(int fd, char *to, size_t size);
ssize_t rl_socket_peek(int fd, char *to, size_t size);

#endif
