#include "rl_resolver.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
		close(resolver->writer);
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

static void *run(void *argument)
{
	rl_resolver *resolver = argument;
	ssize_t ignored;

	/* Not AI_ADDRCONFIG: it hides ::1 on a machine whose only IPv6 address is the loopback. */
	resolver->code = look_up(resolver, 0);
	atomic_store(&resolver->done, true);
	/* MSG_NOSIGNAL is for sockets; this pair is one for that reason: who asked may have gone. */
	ignored = send(resolver->writer, "", 1, MSG_NOSIGNAL);
	(void) ignored;
	release(resolver);
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static bool start_thread(rl_resolver *resolver)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	bool started;

	if (pthread_attr_init(&attributes) != 0) {
		return false;
	}
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* The application's signals are for its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = pthread_create(&thread, &attributes, run, resolver) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return started;
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
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0) {
		resolver->reader = pair[0];
		resolver->writer = pair[1];
		atomic_store(&resolver->references, 2);
		if (start_thread(resolver)) {
			return resolver;
		}
		atomic_store(&resolver->references, 1);
		close(pair[0]);
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
		close(resolver->reader);
	}
	release(resolver);
}
