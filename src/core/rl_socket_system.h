/* What socket.c and the file for the system at hand need of each other. */
#ifndef RL_SOCKET_SYSTEM_H
#define RL_SOCKET_SYSTEM_H

#include "rl_socket.h"

/* Each option only makes things better: a system that refuses it works as well. */
void rl_socket_set(int fd, int level, int option, int value);

/* A socket as rl_socket.h promises it, not connected. -1 with errno. */
int rl_socket_make(int family);

/* Begins to connect. False with errno: it cannot be. */
bool rl_socket_begin(int fd, const struct sockaddr *address, size_t length);

#endif
