/* Looking host names up: in a thread of its own, within a deadline, and never too many at once. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE 1   /* RTLD_NEXT */
#endif
#include "peer.h"

#include "rl_resolver.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

/*
 * The look-up that the core calls, before the one of the system: names that end in ".slow" are answered when the test
 * says so, so that no test depends on a name server.
 */
static atomic_bool answer_slow_names;
static atomic_int slow_names_asked;

static void nap(void)
{
	struct timespec pause = {.tv_nsec = 1000000};

	nanosleep(&pause, NULL);
}

int getaddrinfo(const char *host, const char *port, const struct addrinfo *hints, struct addrinfo **addresses)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
	size_t length = strlen(host);

	*(void **) &real = dlsym(RTLD_NEXT, "getaddrinfo");
	if ((hints->ai_flags & AI_NUMERICHOST) != 0 || length < 5 || strcmp(host + length - 5, ".slow") != 0) {
		return real(host, port, hints, addresses);
	}
	atomic_fetch_add(&slow_names_asked, 1);
	while (!atomic_load(&answer_slow_names)) {
		nap();
	}
	if (strcmp(host, "unknown.slow") == 0) {
		return EAI_NONAME;
	}
	return real("127.0.0.1", port, hints, addresses);
}

static int begin(void **state)
{
	(void) state;
	atomic_store(&answer_slow_names, false);
	atomic_store(&slow_names_asked, 0);
	return 0;
}

static int count_threads(void)
{
	DIR *threads = opendir("/proc/self/task");
	const struct dirent *entry;
	int count = 0;

	assert_non_null(threads);
	while ((entry = readdir(threads)) != NULL) {
		count += entry->d_name[0] != '.';
	}
	closedir(threads);
	return count;
}

/* Lets every look-up end, so that the next test begins with none. */
static int end(void **state)
{
	int64_t until = rl_clock_now() + PATIENCE_US;

	(void) state;
	atomic_store(&answer_slow_names, true);
	while (count_threads() > 1 && rl_clock_now() < until) {
		nap();
	}
	return count_threads() == 1 ? 0 : -1;
}

static bool take_within(rl_resolver *resolver, struct addrinfo **addresses, rl_error *error, int64_t microseconds)
{
	int64_t until = rl_clock_now() + microseconds;

	while (!rl_resolver_take(resolver, addresses, error)) {
		struct pollfd descriptor = {.fd = rl_resolver_descriptor(resolver), .events = POLLIN};

		if (rl_clock_now() >= until) {
			return false;
		}
		poll(&descriptor, 1, 100);
	}
	return true;
}

static void an_address_in_numbers_needs_no_thread(void **state)
{
	static const char *const hosts[] = {"127.0.0.1", "::1", "10.0.0.255"};

	(void) state;
	for (int i = 0; i < COUNT(hosts); i++) {
		rl_error error;
		struct addrinfo *addresses = NULL;
		rl_resolver *resolver = rl_resolver_start(hosts[i], 6379, &error);

		assert_non_null(resolver);
		assert_int_equal(rl_resolver_descriptor(resolver), -1);
		assert_true(rl_resolver_take(resolver, &addresses, &error));
		assert_non_null(addresses);
		assert_int_equal(addresses->ai_socktype, SOCK_STREAM);
		if (addresses->ai_family == AF_INET) {
			assert_int_equal(ntohs(((const struct sockaddr_in *) (const void *) addresses->ai_addr)->sin_port), 6379);
		}
		freeaddrinfo(addresses);
	}
}

static void a_name_is_looked_up_meanwhile(void **state)
{
	rl_error error;
	struct addrinfo *addresses = NULL;
	rl_resolver *resolver = rl_resolver_start("redis.slow", 7000, &error);

	(void) state;
	assert_non_null(resolver);
	assert_true(rl_resolver_descriptor(resolver) >= 0);
	assert_false(rl_resolver_take(resolver, &addresses, &error));
	atomic_store(&answer_slow_names, true);
	assert_true(take_within(resolver, &addresses, &error, PATIENCE_US));
	assert_non_null(addresses);
	freeaddrinfo(addresses);
}

static void a_name_that_nobody_knows(void **state)
{
	rl_error error;
	struct addrinfo *addresses = NULL;
	rl_resolver *resolver = rl_resolver_start("unknown.slow", 6379, &error);

	(void) state;
	atomic_store(&answer_slow_names, true);
	assert_true(take_within(resolver, &addresses, &error, PATIENCE_US));
	assert_null(addresses);
	assert_int_equal(error.status, RL_CONNECTION);
	assert_contains(error.message, "\"unknown.slow\" cannot be looked up");
}

static void giving_up_before_and_after_the_answer(void **state)
{
	rl_error error;
	rl_resolver *early = rl_resolver_start("redis.slow", 6379, &error);
	rl_resolver *late = rl_resolver_start("redis.slow", 6379, &error);
	struct pollfd descriptor = {.fd = rl_resolver_descriptor(late), .events = POLLIN};

	(void) state;
	rl_resolver_abandon(early);
	rl_resolver_abandon(NULL);
	atomic_store(&answer_slow_names, true);
	assert_int_equal(poll(&descriptor, 1, PATIENCE_US / 1000), 1);
	/* Its addresses are freed with it. */
	rl_resolver_abandon(late);
}

static void look_ups_that_hang_do_not_gather_without_end(void **state)
{
	rl_resolver *resolvers[20];
	rl_error error;
	int started = 0;

	(void) state;
	for (int i = 0; i < COUNT(resolvers); i++) {
		resolvers[i] = rl_resolver_start("redis.slow", 6379, &error);
		started += resolvers[i] != NULL;
	}
	assert_int_equal(started, 8);
	assert_int_equal(error.status, RL_CONNECTION);
	assert_contains(error.message, "redis.slow");
	/* Who has given up still counts: its thread is there. */
	for (int i = 0; i < COUNT(resolvers); i++) {
		rl_resolver_abandon(resolvers[i]);
	}
	assert_null(rl_resolver_start("redis.slow", 6379, &error));
	/* And an address in numbers needs none. */
	resolvers[0] = rl_resolver_start("127.0.0.1", 6379, &error);
	assert_non_null(resolvers[0]);
	rl_resolver_abandon(resolvers[0]);
	assert_int_equal(end(state), 0);
	resolvers[0] = rl_resolver_start("redis.slow", 6379, &error);
	assert_non_null(resolvers[0]);
	rl_resolver_abandon(resolvers[0]);
}

/* Whether a thread of this program blocks SIGALRM. */
static bool blocks_alarm(const char *thread)
{
	char path[300];
	char line[256];
	/* A thread that has ended meanwhile takes none either. */
	uint64_t mask = UINT64_MAX;
	FILE *status;

	snprintf(path, sizeof(path), "/proc/self/task/%s/status", thread);
	status = fopen(path, "r");
	while (status != NULL && fgets(line, sizeof(line), status) != NULL) {
		if (strncmp(line, "SigBlk:", 7) == 0) {
			mask = strtoull(line + 7, NULL, 16);
		}
	}
	if (status != NULL) {
		fclose(status);
	}
	return (mask & (1u << (SIGALRM - 1))) != 0;
}

/* The application's signals are for its own threads: a handler of PHP must not run in ours. */
static void the_threads_take_no_signals(void **state)
{
	rl_error error;
	rl_resolver *resolver = rl_resolver_start("redis.slow", 6379, &error);
	char main_thread[32];
	const struct dirent *entry;
	DIR *threads;
	int others = 0;

	(void) state;
	while (atomic_load(&slow_names_asked) == 0) {
		nap();
	}
	snprintf(main_thread, sizeof(main_thread), "%d", (int) getpid());
	assert_false(blocks_alarm(main_thread));
	threads = opendir("/proc/self/task");
	assert_non_null(threads);
	while ((entry = readdir(threads)) != NULL) {
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, main_thread) != 0) {
			others++;
			assert_true(blocks_alarm(entry->d_name));
		}
	}
	closedir(threads);
	assert_true(others >= 1);
	rl_resolver_abandon(resolver);
}

/* ------------------------------------------------------------------------------------------------- in a connection */

static void a_connection_waits_for_its_look_up(void **state)
{
	peer peer;
	rl_endpoint *endpoint;
	rl_connection *connection;
	const rl_reply *reply;
	int64_t began;
	int server;

	(void) state;
	peer_listen_tcp(&peer, "redis.slow", 16);
	endpoint = endpoint_of(peer.dsn);
	connection = rl_connection_open(endpoint);
	assert_int_equal(receive_within(connection, &reply, 30000), RL_PENDING);
	assert_false(rl_connection_is_ready(connection));
	assert_true(rl_connection_is_usable(connection));
	atomic_store(&answer_slow_names, true);
	began = rl_clock_now();
	become_ready(connection);
	assert_true(rl_clock_now() - began < PATIENCE_US / 2);
	server = peer_accept(&peer);
	rl_connection_close(connection);
	peer_expect_end(server);
	close(server);
	rl_endpoint_release(endpoint);
	peer_end(&peer);
}

static void a_connection_to_a_name_that_nobody_knows(void **state)
{
	rl_endpoint *endpoint = endpoint_of("redis://unknown.slow");
	rl_connection *connection = rl_connection_open(endpoint);

	(void) state;
	atomic_store(&answer_slow_names, true);
	expect_failure(connection, RL_CONNECTION, "cannot be looked up");
	rl_connection_close(connection);
	rl_endpoint_release(endpoint);
}

static void a_connection_is_closed_during_its_look_up(void **state)
{
	rl_endpoint *endpoint = endpoint_of("redis://redis.slow");
	rl_connection *connection = rl_connection_open(endpoint);

	(void) state;
	rl_connection_close(connection);
	/* The thread does not need what is freed here. */
	rl_endpoint_release(endpoint);
}

static void a_connection_is_closed_after_its_look_up(void **state)
{
	rl_endpoint *endpoint = endpoint_of("redis://redis.slow");
	rl_connection *connection = rl_connection_open(endpoint);

	(void) state;
	atomic_store(&answer_slow_names, true);
	assert_true(rl_connection_wait(&connection, 1, rl_clock_now(), rl_clock_now() + PATIENCE_US));
	rl_connection_close(connection);
	rl_endpoint_release(endpoint);
}

static void a_connection_when_no_more_look_ups_can_be_started(void **state)
{
	rl_endpoint *endpoint = endpoint_of("redis://redis.slow");
	rl_connection *connections[9];

	(void) state;
	for (int i = 0; i < COUNT(connections); i++) {
		connections[i] = rl_connection_open(endpoint);
		assert_non_null(connections[i]);
	}
	expect_failure(connections[8], RL_CONNECTION, "redis.slow");
	for (int i = 0; i < COUNT(connections); i++) {
		rl_connection_close(connections[i]);
	}
	rl_endpoint_release(endpoint);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_address_in_numbers_needs_no_thread),
		TEST(a_name_is_looked_up_meanwhile),
		TEST(a_name_that_nobody_knows),
		TEST(giving_up_before_and_after_the_answer),
		TEST(look_ups_that_hang_do_not_gather_without_end),
		TEST(the_threads_take_no_signals),
		TEST(a_connection_waits_for_its_look_up),
		TEST(a_connection_to_a_name_that_nobody_knows),
		TEST(a_connection_is_closed_during_its_look_up),
		TEST(a_connection_is_closed_after_its_look_up),
		TEST(a_connection_when_no_more_look_ups_can_be_started),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
