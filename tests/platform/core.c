/*
 * The C core on a system where there is no PHP for it: takes and gives back locks on a Redis that is already there.
 *
 *   core PORT CLOSED-PORT UNIX-TIME
 *
 * PORT: a Redis on the loopback interface. CLOSED-PORT: nobody listens there. UNIX-TIME: what the wall clock says now.
 * The last line is "N passed, N failed".
 */
#define _CRT_RAND_S   /* rand_s() */

#include "rl_lock.h"
#include "rl_pool.h"

#include "rl_clock.h"
#include "rl_platform.h"
#include "rl_socket.h"
#include "rl_thread.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int passed, failed;

#define EXPECT(condition) expect((condition), #condition, __LINE__)

static bool expect(bool condition, const char *text, int line)
{
	if (condition) {
		passed++;
	} else {
		failed++;
		printf("FAIL line %d: %s\n", line, text);
	}
	fflush(stdout);
	return condition;
}

static int64_t now(void *context)
{
	(void) context;
	return rl_clock_now();
}

static int64_t wall(void *context)
{
	(void) context;
	return rl_clock_wall();
}

static int process(void *context)
{
	(void) context;
	return (int) getpid();
}

static bool random_bytes(void *context, void *bytes, size_t length)
{
	(void) context;
#ifdef _WIN32
	for (size_t i = 0; i < length; i++) {
		unsigned number;

		if (rand_s(&number) != 0) {
			return false;
		}
		((unsigned char *) bytes)[i] = (unsigned char) number;
	}
	return true;
#else
	FILE *file = fopen("/dev/urandom", "rb");
	bool read = file != NULL && fread(bytes, 1, length, file) == length;

	if (file != NULL) {
		fclose(file);
	}
	return read;
#endif
}

static bool interrupted(void *context)
{
	(void) context;
	return false;
}

/* What one worker process has. */
typedef struct worker {
	rl_runtime runtime;
	rl_client client;
	rl_lock lock;
	rl_error error;
} worker;

static bool begin(worker *worker, const char *dsn, const char *name)
{
	memset(worker, 0, sizeof(*worker));
	worker->runtime = (rl_runtime) {
		.now = now,
		.wall = wall,
		.process = process,
		.random = random_bytes,
		.interrupted = interrupted,
		.transport = &rl_pool_transport,
		.connections = rl_pool_new()
	};
	worker->client = (rl_client) {
		.runtime = &worker->runtime,
		.endpoint = rl_endpoint_parse(dsn, strlen(dsn), &worker->error),
		.prefix = rl_slice_text("platform:"),
		.connect_timeout_us = 2 * RL_US_PER_S,
		.timeout_us = 2 * RL_US_PER_S,
		.retry_for_us = 5 * RL_US_PER_S,
		.retention_ms = 60 * 1000
	};
	return worker->client.endpoint != NULL
		&& rl_lock_init(&worker->lock, worker->client.prefix, rl_slice_text(name), 20 * 1000, &worker->error) == RL_OK;
}

static void end(worker *worker)
{
	rl_lock_free(&worker->lock);
	rl_pool_free(worker->runtime.connections);
	rl_endpoint_release(worker->client.endpoint);
}

static rl_status acquire(worker *worker, int64_t wait_ms)
{
	return rl_lock_acquire(&worker->lock, &worker->client, wait_ms, NULL, &worker->error);
}

static void clocks(int64_t unix_time)
{
	int64_t before = rl_clock_now(), after = before;

	for (int i = 0; i < 100000 && after == before; i++) {
		after = rl_clock_now();
	}
	EXPECT(after > before);
	EXPECT(after - before < RL_US_PER_S);
	EXPECT(llabs(rl_clock_wall() / RL_US_PER_S - unix_time) < 120);
}

static void sockets(void)
{
	int pair[2] = {-1, -1};
	char byte = 0;
	struct pollfd descriptor = {.events = POLLIN};

	if (!EXPECT(rl_socket_pair(pair))) {
		return;
	}
	descriptor.fd = pair[0];
	EXPECT(rl_socket_poll(&descriptor, 1, 0) == 0);
	EXPECT(rl_socket_send(pair[1], "x", 1) == 1);
	EXPECT(rl_socket_poll(&descriptor, 1, 10 * 1000) == 1);
	EXPECT(rl_socket_peek(pair[0], &byte, 1) == 1 && byte == 'x');
	EXPECT(rl_socket_receive(pair[0], &byte, 1) == 1);
	rl_socket_hang_up(pair[1]);
	EXPECT(rl_socket_receive(pair[0], &byte, 1) == 0);
	rl_socket_close(pair[0]);
	rl_socket_close(pair[1]);
	EXPECT(rl_socket_path_max() > 90);
}

static void one_after_the_other(const char *dsn)
{
	worker first, second;
	rl_inspection found = {0};
	int64_t fence;

	if (!EXPECT(begin(&first, dsn, "turns")) || !EXPECT(begin(&second, dsn, "turns"))) {
		return;
	}
	EXPECT(acquire(&first, 0) == RL_OK);
	fence = first.lock.fence;
	EXPECT(fence > 0);
	EXPECT(rl_lock_is_held(&first.lock, &first.client));
	EXPECT(rl_lock_remaining(&first.lock, &first.client) > 10 * RL_US_PER_S);
	EXPECT(acquire(&second, 0) == RL_NO);
	EXPECT(acquire(&second, 300) == RL_NO);
	EXPECT(rl_lock_renew(&first.lock, &first.client, 25 * 1000, &first.error) == RL_OK);
	EXPECT(rl_inspect(&second.client, &second.lock.keys, &found, &second.error) == RL_OK);
	EXPECT(found.held && found.fence == fence && found.remaining_ms > 20 * 1000);
	rl_buffer_free(&found.token);
	EXPECT(rl_lock_release(&first.lock, &first.client, &first.error) == RL_OK);
	EXPECT(rl_lock_release(&first.lock, &first.client, &first.error) == RL_NO);
	EXPECT(acquire(&second, 0) == RL_OK && second.lock.fence > fence);
	/* As at the end of a process: written, and nobody reads the answer. */
	rl_lock_abandon(&second.lock, &second.client);
	EXPECT(acquire(&first, 5000) == RL_OK);
	EXPECT(rl_force_release(&second.client, &second.lock.keys, &second.error) == RL_OK);
	EXPECT(rl_lock_renew(&first.lock, &first.client, 25 * 1000, &first.error) == RL_NO);
	end(&first);
	end(&second);
}

typedef struct holder {
	worker worker;
	atomic_bool done;
} holder;

/* Gives the lock back as soon as somebody waits for it. */
static void release_when_wanted(void *argument)
{
	holder *holder = argument;
	worker *worker = &holder->worker;
	bool waited = false;

	for (int64_t until = rl_clock_now() + 20 * RL_US_PER_S; !waited && rl_clock_now() < until;) {
		rl_inspection found = {0};

		if (rl_inspect(&worker->client, &worker->lock.keys, &found, &worker->error) != RL_OK) {
			break;
		}
		waited = found.waiters;
		rl_buffer_free(&found.token);
	}
	EXPECT(waited);
	EXPECT(rl_lock_release(&worker->lock, &worker->client, &worker->error) == RL_OK);
	atomic_store(&holder->done, true);
}

static void handed_over(const char *dsn)
{
	static holder holder;
	worker waiter;

	if (!EXPECT(begin(&holder.worker, dsn, "hand-over")) || !EXPECT(begin(&waiter, dsn, "hand-over"))) {
		return;
	}
	EXPECT(acquire(&holder.worker, 0) == RL_OK);
	EXPECT(rl_thread_start(release_when_wanted, &holder));
	/* Far less than the lease: so it was handed over, and did not run out. */
	EXPECT(acquire(&waiter, 15 * 1000) == RL_OK);
	EXPECT(waiter.lock.fence > holder.worker.lock.fence);
	EXPECT(rl_lock_release(&waiter.lock, &waiter.client, &waiter.error) == RL_OK);
	while (!atomic_load(&holder.done)) {
		struct pollfd nothing = {.events = 0};
		int pair[2];

		/* There is no sleep that all systems have; a socket on which nothing comes is one. */
		if (rl_socket_pair(pair)) {
			nothing.fd = pair[0];
			rl_socket_poll(&nothing, 1, 10);
			rl_socket_close(pair[0]);
			rl_socket_close(pair[1]);
		}
	}
	end(&holder.worker);
	end(&waiter);
}

static void nobody_there(const char *dsn, rl_status expected)
{
	worker worker;
	int64_t started = rl_clock_now();

	if (EXPECT(begin(&worker, dsn, "nobody"))) {
		rl_status status = acquire(&worker, 0);

		if (!EXPECT(status == expected)) {
			printf("     %s: %d, %s\n", dsn, (int) status, worker.error.message);
		}
		EXPECT(worker.error.message[0] != '\0');
		EXPECT(rl_clock_now() - started < 30 * RL_US_PER_S);
		end(&worker);
	}
}

/* It accepts, as the kernel does for it, and never says a word. */
static void silence(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);
	int listener = (int) socket(AF_INET, SOCK_STREAM, 0);
	char dsn[64];

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (!EXPECT(bind(listener, (struct sockaddr *) &address, sizeof(address)) == 0) || !EXPECT(listen(listener, 8) == 0)
			|| !EXPECT(getsockname(listener, (struct sockaddr *) &address, &length) == 0)) {
		return;
	}
	snprintf(dsn, sizeof(dsn), "redis://127.0.0.1:%d?timeout=0.3", ntohs(address.sin_port));
	nobody_there(dsn, RL_UNCERTAIN);
	rl_socket_close(listener);
}

int main(int argc, char **argv)
{
	char dsn[64];

	if (argc != 4) {
		fprintf(stderr, "usage: core PORT CLOSED-PORT UNIX-TIME\n");
		return 2;
	}
#ifdef _WIN32
	WSADATA data;

	/* PHP does this for the extension. */
	if (WSAStartup(MAKEWORD(2, 2), &data) != 0) {
		return 2;
	}
#endif
	clocks(strtoll(argv[3], NULL, 10));
	sockets();
	snprintf(dsn, sizeof(dsn), "redis://127.0.0.1:%s", argv[1]);
	one_after_the_other(dsn);
	/* A name is looked up in a thread. */
	snprintf(dsn, sizeof(dsn), "redis://localhost:%s", argv[1]);
	one_after_the_other(dsn);
	handed_over(dsn);
	snprintf(dsn, sizeof(dsn), "redis://127.0.0.1:%s", argv[2]);
	nobody_there(dsn, RL_CONNECTION);
	nobody_there("redis://no-such-host.invalid", RL_CONNECTION);
	nobody_there("unix:///no/such/socket", RL_CONNECTION);
	silence();
	printf("%d passed, %d failed\n", passed, failed);
	return failed == 0 && passed > 0 ? 0 : 1;
}
