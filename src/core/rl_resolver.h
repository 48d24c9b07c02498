/*
 * Host names to addresses within a deadline. getaddrinfo() can take as long as the resolver's own timeouts, so a name
 * is looked up in a thread of its own; who waits, polls a descriptor. Addresses in numbers need no thread.
 */
#ifndef RL_RESOLVER_H
#define RL_RESOLVER_H

#include "rl_socket.h"
#include "rl_status.h"

typedef struct rl_resolver rl_resolver;

/* Starts a look-up. NULL: error says why. */
rl_resolver *rl_resolver_start(const char *host, int port, rl_error *error);

/* Becomes readable when the look-up is done; -1: it is done already. */
int rl_resolver_descriptor(const rl_resolver *resolver);

/*
 * Takes the result and frees the resolver, if the look-up is done; false: it is not.
 * *addresses belongs to the caller, who frees it with freeaddrinfo(); NULL: error says why there are none.
 */
bool rl_resolver_take(rl_resolver *resolver, struct addrinfo **addresses, rl_error *error);

/* Gives up; the thread ends by itself. NULL is allowed. */
void rl_resolver_abandon(rl_resolver *resolver);

#endif
