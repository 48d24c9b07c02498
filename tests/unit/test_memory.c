/*
 * No memory: each allocation of the core fails once, in turn. Nothing may be lost or broken by it, and what can be told
 * apart is told as RL_SYSTEM. The Makefile links this program so that the core allocates through the functions below.
 */
#define _GNU_SOURCE   /* memmem() */
#include "peer.h"

#include "rl_keys.h"
#include "rl_lock.h"
#include "rl_pool.h"
#include "rl_resolver.h"

#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

/* The allocation that fails: 0 the next one, 1 the one after it; negative: none. */
static int fail_at = -1;

static bool fails(void)
{
	return fail_at >= 0 && fail_at-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

/* What no memory may hold that is given back; NULL: nobody looks. */
static const char *secret;
static int secrets_freed;

static void look_for_secret(void *memory)
{
	if (secret != NULL && memory != NULL && memmem(memory, malloc_usable_size(memory), secret, strlen(secret)) != NULL) {
		secrets_freed++;
	}
}

/* It may give the old memory back. */
void *__wrap_realloc(void *memory, size_t size)
{
	if (fails()) {
		return NULL;
	}
	look_for_secret(memory);
	return __real_realloc(memory, size);
}

void __wrap_free(void *memory)
{
	look_for_secret(memory);
	__real_free(memory);
}

/* True: everything went through without meeting the failure. */
static bool succeeded(void)
{
	bool met = fail_at < 0;

	fail_at = -1;
	return !met;
}

static void parsing_a_dsn(void **state)
{
	static const char dsn[] = "redis://user:pass@host:1/2?timeout=1&connect_timeout=2";
	int failures = 0;

	(void) state;
	for (int n = 0;; n++) {
		rl_error error = {0};
		rl_endpoint *endpoint;

		fail_at = n;
		endpoint = rl_endpoint_parse(dsn, sizeof(dsn) - 1, &error);
		if (succeeded()) {
			assert_non_null(endpoint);
			rl_endpoint_release(endpoint);
			break;
		}
		assert_null(endpoint);
		assert_int_equal(error.status, RL_SYSTEM);
		assert_string_equal(error.message, "out of memory");
		failures++;
	}
	assert_in_range(failures, 7, 40);
}

static void making_keys(void **state)
{
	rl_keys keys;
	rl_error error;

	(void) state;
	fail_at = 0;
	assert_int_equal(rl_keys_make(&keys, rl_slice_text("p:"), rl_slice_text("n"), &error), RL_SYSTEM);
	assert_int_equal(error.status, RL_SYSTEM);
	assert_false(succeeded());
}

static void writing_a_command(void **state)
{
	rl_buffer buffer = {0};
	rl_command command;

	(void) state;
	rl_command_init_script(&command, RL_SCRIPT_ACQUIRE);
	fail_at = 0;
	assert_false(rl_command_write(&command, RL_BY_TEXT, &buffer));
	assert_int_equal(buffer.length, 0);
	fail_at = -1;
	assert_true(rl_buffer_append(&buffer, "kept", 4));
	fail_at = 0;
	assert_false(rl_command_write(&command, RL_BY_TEXT, &buffer));
	assert_false(succeeded());
	assert_slice_equal(rl_slice_make(buffer.data, buffer.length), "kept");
	rl_buffer_free(&buffer);
}

static void reading_a_reply(void **state)
{
	(void) state;
	for (int n = 0;; n++) {
		rl_reply_reader *reader;
		const rl_reply *reply;

		fail_at = n;
		reader = rl_reply_reader_new();
		if (reader != NULL && rl_reply_reader_feed(reader, "*2\r\n:1\r\n$3\r\nabc\r\n", 17)) {
			rl_reply_result result = rl_reply_reader_next(reader, &reply);

			assert_true(result == (fail_at >= 0 ? RL_REPLY_COMPLETE : RL_REPLY_REFUSED));
		}
		rl_reply_reader_free(reader);
		if (succeeded()) {
			break;
		}
	}
}

static void looking_up_a_name(void **state)
{
	rl_error error;

	(void) state;
	fail_at = 0;
	assert_null(rl_resolver_start("host.invalid", 6379, &error));
	assert_int_equal(error.status, RL_SYSTEM);
	assert_false(succeeded());
}

/* ---------------------------------------------------------------------------------------------------- connections */

static void opening_and_logging_in(void **state)
{
	peer peer;
	char dsn[256];
	rl_endpoint *endpoint;

	(void) state;
	peer_listen(&peer, 16);
	snprintf(dsn, sizeof(dsn), "unix://user:pass@%s?db=3", peer.path);
	endpoint = endpoint_of(dsn);
	for (int n = 0;; n++) {
		rl_connection *connection;
		const rl_reply *reply;
		int server;

		fail_at = n;
		connection = rl_connection_open(endpoint);
		if (connection != NULL) {
			server = peer_accept(&peer);
			if (rl_connection_receive(connection, &reply) == RL_FAILED) {
				assert_contains(rl_connection_error(connection)->message, "out of memory");
			} else if (send(server, "+OK\r\n+OK\r\n", 10, MSG_NOSIGNAL) == 10) {
				rl_connection_receive(connection, &reply);
			}
			rl_connection_close(connection);
			close(server);
		}
		if (succeeded()) {
			break;
		}
	}
	rl_endpoint_release(endpoint);
	peer_end(&peer);
}

/* Also where the connection ends before the log-in was written. */
/* longer: by so many bytes. */
static void check_password(int longer)
{
	static const char password[] = "s3cr3t-Zx9";
	char dsn[1200];

	for (int sent = 0; sent < 2; sent++) {
		peer peer;
		rl_endpoint *endpoint;
		rl_connection *connection;
		const rl_reply *reply;
		int server;

		peer_listen(&peer, 16);
		snprintf(dsn, sizeof(dsn), "unix://:%s%0*d@%s?db=1", password, longer, 0, peer.path);
		secret = password;
		secrets_freed = 0;
		endpoint = endpoint_of(dsn);
		connection = rl_connection_open(endpoint);
		server = peer_accept(&peer);
		if (sent) {
			assert_int_equal(rl_connection_receive(connection, &reply), RL_PENDING);
			peer_send(server, "+OK\r\n+OK\r\n");
			become_ready(connection);
		}
		close(server);
		if (!sent) {
			assert_int_equal(receive(connection, &reply), RL_FAILED);
		}
		rl_connection_close(connection);
		rl_endpoint_release(endpoint);
		secret = NULL;
		assert_int_equal(secrets_freed, 0);
		peer_end(&peer);
	}
}

static void no_password_is_left_in_memory(void **state)
{
	(void) state;
	check_password(1);
}

/* Then the buffer grows while the log-in is in it. */
static void no_long_password_is_left_in_memory(void **state)
{
	(void) state;
	for (int longer = 16; longer <= 1024; longer += 16) {
		check_password(longer);
	}
}

static void sending(void **state)
{
	peer peer;
	rl_endpoint *endpoint;
	rl_connection *connection;
	const rl_reply *reply;
	char *large = malloc(100000);
	rl_command command;
	int server;

	(void) state;
	peer_listen(&peer, 16);
	endpoint = endpoint_of(peer.dsn);
	connection = rl_connection_open(endpoint);
	server = peer_accept(&peer);
	become_ready(connection);
	memset(large, 'x', 100000);
	rl_command_init_plain(&command, "X");
	rl_command_add(&command, rl_slice_make(large, 100000));
	fail_at = 0;
	assert_int_equal(rl_connection_send(connection, &command, RL_BY_HASH, rl_clock_now()), 0);
	assert_false(succeeded());
	/* Nothing was queued, and the connection is as good as before. */
	assert_int_equal(rl_connection_outstanding(connection), 0);
	assert_true(rl_connection_is_usable(connection));
	peer_expect_nothing(server);
	send_plain(connection, "Y");
	peer_expect(server, "*1\r\n$1\r\nY\r\n");
	peer_send(server, "+OK\r\n");
	assert_int_equal(receive(connection, &reply), RL_READY);
	rl_connection_close(connection);
	rl_endpoint_release(endpoint);
	close(server);
	peer_end(&peer);
	free(large);
}

static void taking_from_the_pool(void **state)
{
	peer peer;
	rl_endpoint *endpoint;

	(void) state;
	peer_listen(&peer, 64);
	endpoint = endpoint_of(peer.dsn);
	for (int n = 0;; n++) {
		rl_pool *pool;
		rl_connection *connection = NULL;

		fail_at = n;
		pool = rl_pool_new();
		if (pool != NULL) {
			connection = rl_pool_transport.take(pool, endpoint, false);
			assert_int_equal(rl_pool_count(pool), connection != NULL);
		}
		rl_pool_free(pool);
		if (succeeded()) {
			assert_non_null(connection);
			break;
		}
		assert_null(connection);
	}
	rl_endpoint_release(endpoint);
	peer_end(&peer);
}

/* ---------------------------------------------------------------------------------------------------- whole calls */

static atomic_bool stop_server;
static atomic_int answered;     /* since the present call began */
static atomic_int released;
static const char *_Atomic answer;

/* Gives the same answer to every command. */
static void *serve(void *argument)
{
	const peer *peer = argument;

	while (!atomic_load(&stop_server)) {
		struct pollfd descriptor = {.fd = peer->listener, .events = POLLIN};
		char bytes[8192] = "";
		int fd;

		if (poll(&descriptor, 1, 10) != 1 || (fd = accept(peer->listener, NULL, NULL)) < 0) {
			continue;
		}
		while (recv(fd, bytes, sizeof(bytes) - 1, 0) > 0) {
			const char *text = atomic_load(&answer);

			/* A release that nobody waits for is sent as a whole script. */
			atomic_fetch_add(strstr(bytes, "\r\nEVAL\r\n") != NULL ? &released : &answered, 1);
			if (send(fd, text, strlen(text), MSG_NOSIGNAL) < 0) {
				break;
			}
		}
		close(fd);
	}
	return NULL;
}

static int64_t runtime_now(void *context)
{
	(void) context;
	return rl_clock_now();
}

static int runtime_process(void *context)
{
	(void) context;
	return (int) getpid();
}

static bool runtime_random(void *context, void *bytes, size_t length)
{
	(void) context;
	memset(bytes, 7, length);
	return true;
}

static bool runtime_interrupted(void *context)
{
	(void) context;
	return false;
}

/* A call, with a pool of its own, so that it begins with a new connection. */
typedef rl_status call(rl_client *client, rl_lock *lock, rl_error *error);

static rl_status acquire_chosen(rl_client *client, rl_lock *lock, rl_error *error);

static void fail_each_allocation_of(call *run, const char *reply, rl_status expected)
{
	peer peer;
	pthread_t thread;
	int failures = 0;

	peer_listen(&peer, 64);
	atomic_store(&stop_server, false);
	atomic_store(&answer, reply);
	assert_int_equal(pthread_create(&thread, NULL, serve, &peer), 0);
	for (int n = 0;; n++) {
		rl_runtime runtime = {
			.now = runtime_now,
			.process = runtime_process,
			.random = runtime_random,
			.interrupted = runtime_interrupted,
			.transport = &rl_pool_transport,
			.connections = rl_pool_new()
		};
		rl_client client = {
			.runtime = &runtime,
			.endpoint = endpoint_of(peer.dsn),
			.prefix = rl_slice_text("p:"),
			.connect_timeout_us = PATIENCE_US,
			.timeout_us = PATIENCE_US,
			.retry_for_us = PATIENCE_US,
			.retention_ms = 60000
		};
		rl_error error = {0};
		rl_lock lock;
		rl_status status;
		bool done;

		assert_int_equal(rl_lock_init(&lock, client.prefix, rl_slice_text("job"), 30000, &error), RL_OK);
		atomic_store(&answered, 0);
		atomic_store(&released, 0);
		fail_at = n;
		status = run(&client, &lock, &error);
		done = succeeded();
		if (done) {
			assert_int_equal(status, expected);
		} else {
			/* A reply that cannot be kept ends like one that cannot be read. */
			assert_true(status == RL_SYSTEM || status == RL_SERVER || status == RL_CONNECTION);
			assert_int_equal(error.status, status);
			assert_false(rl_lock_is_held(&lock, &client));
			failures++;
		}
		rl_lock_free(&lock);
		/* Waits for the answers to what nobody has waited for. */
		rl_pool_free(runtime.connections);
		rl_endpoint_release(client.endpoint);
		if (status == RL_SYSTEM && run == acquire_chosen && atomic_load(&answered) > 0) {
			/* The lock was granted, and there was no memory to keep its token: it is given back. */
			assert_int_equal(atomic_load(&released), 1);
		}
		if (done) {
			break;
		}
	}
	assert_true(failures >= 3);
	atomic_store(&stop_server, true);
	pthread_join(thread, NULL);
	peer_end(&peer);
}

static rl_status acquire(rl_client *client, rl_lock *lock, rl_error *error)
{
	return rl_lock_acquire(lock, client, 0, NULL, error);
}

static rl_status acquire_chosen(rl_client *client, rl_lock *lock, rl_error *error)
{
	rl_slice token = rl_slice_text("a token that is not 32 bytes long");

	return rl_lock_acquire(lock, client, 0, &token, error);
}

static rl_status attach(rl_client *client, rl_lock *lock, rl_error *error)
{
	return rl_lock_attach(lock, client, rl_slice_text("a token that is not 32 bytes long"), error);
}

static rl_status inspect(rl_client *client, rl_lock *lock, rl_error *error)
{
	rl_inspection inspection;
	rl_status status = rl_inspect(client, &lock->keys, &inspection, error);

	rl_buffer_free(&inspection.token);
	return status;
}

static rl_status release_by_token(rl_client *client, rl_lock *lock, rl_error *error)
{
	return rl_token_release(client, &lock->keys, rl_slice_text("t"), error);
}

static void whole_calls(void **state)
{
	(void) state;
	fail_each_allocation_of(acquire, "$16\r\n1764530000123456\r\n", RL_OK);
	fail_each_allocation_of(acquire_chosen, "$16\r\n1764530000123456\r\n", RL_OK);
	fail_each_allocation_of(attach, "*3\r\n:1\r\n$16\r\n1764530000123456\r\n:20000\r\n", RL_OK);
	fail_each_allocation_of(inspect, "*6\r\n:1\r\n$5\r\ntoken\r\n:20000\r\n$2\r\n17\r\n:0\r\n:0\r\n", RL_OK);
	fail_each_allocation_of(release_by_token, ":1\r\n", RL_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parsing_a_dsn),
		cmocka_unit_test(making_keys),
		cmocka_unit_test(writing_a_command),
		cmocka_unit_test(reading_a_reply),
		cmocka_unit_test(looking_up_a_name),
		cmocka_unit_test(opening_and_logging_in),
		cmocka_unit_test(no_password_is_left_in_memory),
		cmocka_unit_test(no_long_password_is_left_in_memory),
		cmocka_unit_test(sending),
		cmocka_unit_test(taking_from_the_pool),
		cmocka_unit_test(whole_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
