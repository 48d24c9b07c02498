#include "rl_resolver.h"

#include "rl_thread.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A name server that hangs must not gather threads without end. */
enum { MAX_THREADS = 8 };

static atomic_int running;
static atomic_int running_in;   /* which process */

/*
 * Shared by the thread and who asked; the last one of the two frees it. `done` is written by the thread after the
 * result and before the byte in the pipe.
 */
struct rl_resolver {
	atomic_int references;
	atomic_bool done;
	int code;                       /* of getaddrinfo() */
	struct addrinfo *addresses;
	int reader;                     /* -1: looked up at once */
	int writer;
	char port[8];
	char host[];
};

static void release(rl_resolver *resolver)
{
	if (atomic_fetch_sub(&resolver->references, 1) > 1) {
		return;
	}
	if (resolver->addresses != NULL) {
		freeaddrinfo(resolver->addresses);
	}
	if (resolver->writer >= 0) {
		rl_socket_close(resolver->writer);
	}
	free(resolver);
}

static int look_up(rl_resolver *resolver, int flags)
{
	struct addrinfo hints = {0};

	hints.ai_family = AF_UNSPEC;
	hints.ai_socktype = SOCK_STREAM;
	hints.ai_flags = flags;
	return getaddrinfo(resolver->host, resolver->port, &hints, &resolver->addresses);
}

static void run(void *argument)
{
	rl_resolver *resolver = argument;
	ssize_t ignored;

	/* Not AI_ADDRCONFIG: it hides ::1 on a machine whose only IPv6 address is the loopback. */
	resolver->code = look_up(resolver, 0);
	atomic_store(&resolver->done, true);
	/* It is no pipe, because that would raise SIGPIPE when who asked has gone. */
	ignored = rl_socket_send(resolver->writer, "", 1);
	(void) ignored;
	release(resolver);
	atomic_fetch_sub(&running, 1);
}

rl_resolver *rl_resolver_start(const char *host, int port, rl_error *error)
{
	size_t length = strlen(host);
	rl_resolver *resolver = calloc(1, sizeof(*resolver) + length + 1);
	int pair[2];

	if (resolver == NULL) {
		rl_error_set(error, RL_SYSTEM, "out of memory");
		return NULL;
	}
	memcpy(resolver->host, host, length + 1);
	snprintf(resolver->port, sizeof(resolver->port), "%d", port);
	atomic_init(&resolver->references, 1);
	resolver->reader = resolver->writer = -1;
	resolver->code = look_up(resolver, AI_NUMERICHOST);
	if (resolver->code == 0) {
		atomic_init(&resolver->done, true);
		return resolver;
	}
	if (atomic_exchange(&running_in, (int) getpid()) != (int) getpid()) {
		/* The threads of a parent do not run in its forked child. */
		atomic_store(&running, 0);
	}
	if (atomic_fetch_add(&running, 1) >= MAX_THREADS) {
		atomic_fetch_sub(&running, 1);
		release(resolver);
		rl_error_set(error, RL_CONNECTION, "%s: %d look-ups of host names are unanswered already", host, MAX_THREADS);
		return NULL;
	}
	if (rl_socket_pair(pair)) {
		resolver->reader = pair[0];
		resolver->writer = pair[1];
		atomic_store(&resolver->references, 2);
		if (rl_thread_start(run, resolver)) {
			return resolver;
		}
		atomic_store(&resolver->references, 1);
		rl_socket_close(pair[0]);
	}
	atomic_fetch_sub(&running, 1);
	release(resolver);
	rl_error_set(error, RL_CONNECTION, "%s: no thread to look up the host name", host);
	return NULL;
}

int rl_resolver_descriptor(const rl_resolver *resolver)
{
	return resolver->reader;
}

bool rl_resolver_take(rl_resolver *resolver, struct addrinfo **addresses, rl_error *error)
{
	if (!atomic_load(&resolver->done)) {
		return false;
	}
	*addresses = NULL;
	if (resolver->code == 0) {
		*addresses = resolver->addresses;
		resolver->addresses = NULL;
	} else {
		rl_error_set(error, RL_CONNECTION, "host \"%s\" cannot be looked up: %s", resolver->host,
			gai_strerror(resolver->code));
	}
	rl_resolver_abandon(resolver);
	return true;
}

void rl_resolver_abandon(rl_resolver *resolver)
{
	if (resolver == NULL) {
		return;
	}
	if (resolver->reader >= 0) {
		rl_socket_close(resolver->reader);
	}
	release(resolver);
}
