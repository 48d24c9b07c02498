/*
 * Whole calls over real sockets and on the real clock: whatever the server does, each ends within its wait and two
 * command timeouts. The same on a clock of our own, and for far more servers, is in test_schedules.c.
 */
#include "peer.h"

#include "rl_lock.h"
#include "rl_pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

enum {
	MS = RL_US_PER_MS,
	TIMEOUT_US = 100 * MS,
	/* How late a call may be on a machine that is busy with other things. */
	SLACK_US = 1000 * MS
};

/* What the server does with each connection. Returns when the connection shall be closed. */
typedef void behaviour(int fd);

typedef struct fixture {
	peer peer;
	pthread_t thread;
	_Atomic(behaviour *) behave;
	atomic_bool stop;
	atomic_int accepted;
	rl_runtime runtime;
	rl_client client;
	rl_lock lock;
	rl_error error;
	int64_t began;
} fixture;

/* ------------------------------------------------------------------------------------------------------ the server */

static void pause_ms(int ms)
{
	struct timespec pause = {.tv_nsec = ms * 1000000L};

	nanosleep(&pause, NULL);
}

/* Waits for a command, all of which comes at once. */
static bool read_command(int fd)
{
	struct pollfd descriptor = {.fd = fd, .events = POLLIN};
	char bytes[8192];

	return poll(&descriptor, 1, 3000) == 1 && recv(fd, bytes, sizeof(bytes), 0) > 0;
}

static bool say(int fd, const char *text, size_t length)
{
	return send(fd, text, length, MSG_NOSIGNAL) == (ssize_t) length;
}

/* Acquire and renew take it for a yes. */
static const char grant[] = "*3\r\n:1\r\n$16\r\n1764530000123456\r\n:0\r\n";

static void grants(int fd)
{
	while (read_command(fd)) {
		say(fd, grant, sizeof(grant) - 1);
	}
}

static void gives_back(int fd)
{
	while (read_command(fd)) {
		say(fd, ":1\r\n", 4);
	}
}

static void never_answers(int fd)
{
	while (read_command(fd)) {
		continue;
	}
}

static void drips(int fd)
{
	if (!read_command(fd)) {
		return;
	}
	for (size_t i = 0; i < sizeof(grant) - 1 && say(fd, &grant[i], 1); i++) {
		pause_ms(60);
	}
}

static void closes_at_once(int fd)
{
	(void) fd;
}

static void closes_after_the_command(int fd)
{
	read_command(fd);
}

static void closes_after_a_byte(int fd)
{
	if (read_command(fd)) {
		say(fd, grant, 1);
	}
}

static void talks_of_something_else(int fd)
{
	static const char text[] = "HTTP/1.1 400 Bad Request\r\n\r\n";

	if (read_command(fd)) {
		say(fd, text, sizeof(text) - 1);
	}
}

static void *serve(void *argument)
{
	fixture *f = argument;

	while (!atomic_load(&f->stop)) {
		struct pollfd descriptor = {.fd = f->peer.listener, .events = POLLIN};
		int fd;

		if (poll(&descriptor, 1, 10) != 1) {
			continue;
		}
		fd = accept(f->peer.listener, NULL, NULL);
		if (fd >= 0) {
			atomic_fetch_add(&f->accepted, 1);
			/* One after the other; who comes meanwhile waits in the backlog, which is one more way not to answer. */
			f->behave(fd);
			close(fd);
		}
	}
	return NULL;
}

/* ----------------------------------------------------------------------------------------------------- the client */

static int64_t runtime_now(void *context)
{
	(void) context;
	return rl_clock_now();
}

static int64_t runtime_wall(void *context)
{
	(void) context;
	return rl_clock_wall();
}

static int runtime_process(void *context)
{
	(void) context;
	return (int) getpid();
}

static bool runtime_random(void *context, void *bytes, size_t length)
{
	static uint64_t dice = 88172645463325252u;

	(void) context;
	for (size_t i = 0; i < length; i++) {
		dice ^= dice << 13;
		dice ^= dice >> 7;
		dice ^= dice << 17;
		((unsigned char *) bytes)[i] = (unsigned char) dice;
	}
	return true;
}

static int interruptions;

static bool runtime_interrupted(void *context)
{
	(void) context;
	interruptions++;
	return false;
}

static int begin(void **state)
{
	fixture *f = calloc(1, sizeof(*f));

	peer_listen(&f->peer, 64);
	f->runtime = (rl_runtime) {
		.now = runtime_now,
		.wall = runtime_wall,
		.process = runtime_process,
		.random = runtime_random,
		.interrupted = runtime_interrupted,
		.transport = &rl_pool_transport,
		.connections = rl_pool_new()
	};
	f->client = (rl_client) {
		.runtime = &f->runtime,
		.endpoint = endpoint_of(f->peer.dsn),
		.prefix = rl_slice_text("redislock:"),
		.connect_timeout_us = TIMEOUT_US,
		.timeout_us = TIMEOUT_US,
		.retry_for_us = 10 * RL_US_PER_S,
		.retention_ms = 604800000
	};
	rl_lock_init(&f->lock, f->client.prefix, rl_slice_text("job"), 30000, &f->error);
	*state = f;
	return 0;
}

static int end(void **state)
{
	fixture *f = *state;

	rl_lock_free(&f->lock);
	rl_pool_free(f->runtime.connections);
	rl_endpoint_release(f->client.endpoint);
	if (f->behave != NULL) {
		atomic_store(&f->stop, true);
		pthread_join(f->thread, NULL);
	}
	peer_end(&f->peer);
	free(f);
	return 0;
}

static void start_server(fixture *f, behaviour *behave)
{
	f->behave = behave;
	assert_int_equal(pthread_create(&f->thread, NULL, serve, f), 0);
}

static rl_status acquire(fixture *f, int64_t wait_ms)
{
	f->began = rl_clock_now();
	return rl_lock_acquire(&f->lock, &f->client, wait_ms, NULL, &f->error);
}

static void assert_took_at_most(const fixture *f, int64_t microseconds)
{
	int64_t took = rl_clock_now() - f->began;

	if (took > microseconds + SLACK_US) {
		fail_msg("it took %lld ms instead of %lld ms", (long long) took / MS, (long long) microseconds / MS);
	}
}

static void a_server_that_answers(void **state)
{
	fixture *f = *state;

	start_server(f, grants);
	assert_int_equal(acquire(f, 0), RL_OK);
	assert_true(f->lock.fence == INT64_C(1764530000123456));
	assert_true(rl_lock_is_held(&f->lock, &f->client));
	assert_int_equal(rl_lock_renew(&f->lock, &f->client, 60000, &f->error), RL_OK);
	assert_int_equal(atomic_load(&f->accepted), 1);
	f->behave = gives_back;
	rl_pool_end_request(f->runtime.connections);
	assert_int_equal(rl_lock_release(&f->lock, &f->client, &f->error), RL_OK);
	assert_int_equal(atomic_load(&f->accepted), 2);
}

static void a_server_that_never_answers(void **state)
{
	fixture *f = *state;

	start_server(f, never_answers);
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_took_at_most(f, 2 * TIMEOUT_US);
	assert_true(rl_clock_now() - f->began >= 2 * TIMEOUT_US);
	assert_int_equal(acquire(f, 300), RL_UNCERTAIN);
	assert_took_at_most(f, 300 * MS + 2 * TIMEOUT_US);
}

/* Each byte comes well within a timeout, and the answer does not. */
static void a_server_that_answers_a_byte_at_a_time(void **state)
{
	fixture *f = *state;

	start_server(f, drips);
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_took_at_most(f, 2 * TIMEOUT_US);
}

static void servers_that_close(void **state)
{
	static behaviour *const behaviours[] = {closes_at_once, closes_after_the_command, closes_after_a_byte};

	(void) state;
	for (int i = 0; i < COUNT(behaviours); i++) {
		void *inner;
		fixture *f;

		begin(&inner);
		f = inner;
		start_server(f, behaviours[i]);
		assert_int_not_equal(acquire(f, 0), RL_OK);
		assert_took_at_most(f, 0);
		assert_int_not_equal(acquire(f, 300), RL_OK);
		assert_took_at_most(f, 300 * MS + 2 * TIMEOUT_US);
		assert_true(atomic_load(&f->accepted) > 3);
		end(&inner);
	}
}

static void a_server_that_is_something_else(void **state)
{
	fixture *f = *state;

	start_server(f, talks_of_something_else);
	assert_int_equal(acquire(f, 5000), RL_SERVER);
	assert_took_at_most(f, 0);
	assert_true(f->lock.uncertain);
}

/* The connect succeeds, because the kernel does it; nobody ever accepts. */
static void a_server_that_never_accepts(void **state)
{
	fixture *f = *state;

	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	assert_took_at_most(f, 2 * TIMEOUT_US);
}

static void a_server_that_is_not_there(void **state)
{
	fixture *f = *state;

	close(f->peer.listener);
	f->peer.listener = -1;
	assert_int_equal(acquire(f, 0), RL_CONNECTION);
	assert_took_at_most(f, 0);
	assert_int_equal(acquire(f, 300), RL_CONNECTION);
	assert_took_at_most(f, 300 * MS);
	f->client.retry_for_us = 100 * MS;
	assert_int_equal(acquire(f, 5000), RL_CONNECTION);
	assert_took_at_most(f, 200 * MS);
}

static void a_renewal_and_a_release_have_a_budget_as_well(void **state)
{
	fixture *f = *state;

	start_server(f, grants);
	assert_int_equal(acquire(f, 0), RL_OK);
	f->behave = never_answers;
	rl_pool_end_request(f->runtime.connections);
	f->began = rl_clock_now();
	assert_int_equal(rl_lock_renew(&f->lock, &f->client, 60000, &f->error), RL_UNCERTAIN);
	assert_took_at_most(f, 2 * TIMEOUT_US);
	assert_true(rl_lock_is_held(&f->lock, &f->client));
	f->began = rl_clock_now();
	assert_int_equal(rl_lock_release(&f->lock, &f->client, &f->error), RL_UNCERTAIN);
	assert_took_at_most(f, 2 * TIMEOUT_US);
	assert_false(rl_lock_is_held(&f->lock, &f->client));
	f->began = rl_clock_now();
	rl_lock_abandon(&f->lock, &f->client);
	assert_took_at_most(f, TIMEOUT_US);
}

static void note_signal(int number)
{
	(void) number;
}

static void signals_without_end(void **state)
{
	fixture *f = *state;
	struct sigaction action = {.sa_handler = note_signal}, before;
	struct itimerval every = {.it_interval = {.tv_usec = 3000}, .it_value = {.tv_usec = 3000}};
	struct itimerval never = {0};

	start_server(f, never_answers);
	sigaction(SIGALRM, &action, &before);
	setitimer(ITIMER_REAL, &every, NULL);
	interruptions = 0;
	assert_int_equal(acquire(f, 0), RL_UNCERTAIN);
	setitimer(ITIMER_REAL, &never, NULL);
	sigaction(SIGALRM, &before, NULL);
	assert_true(rl_clock_now() - f->began >= 2 * TIMEOUT_US);
	assert_took_at_most(f, 2 * TIMEOUT_US);
	assert_true(interruptions >= 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_server_that_answers),
		TEST(a_server_that_never_answers),
		TEST(a_server_that_answers_a_byte_at_a_time),
		TEST(servers_that_close),
		TEST(a_server_that_is_something_else),
		TEST(a_server_that_never_accepts),
		TEST(a_server_that_is_not_there),
		TEST(a_renewal_and_a_release_have_a_budget_as_well),
		TEST(signals_without_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
