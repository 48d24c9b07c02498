/* The connections of a thread: idle, in use, parked, and across a fork. */
#include "peer.h"

#include "rl_pool.h"

#include <sys/wait.h>

typedef struct fixture {
	peer peer;
	rl_pool *pool;
	rl_endpoint *endpoint;
	int servers[80];
	int server_count;
} fixture;

static const rl_transport *const transport = &rl_pool_transport;

static int begin(void **state)
{
	fixture *f = calloc(1, sizeof(*f));

	peer_listen(&f->peer, 128);
	f->pool = rl_pool_new();
	f->endpoint = endpoint_of(f->peer.dsn);
	f->endpoint->persistent = true;
	*state = f;
	return 0;
}

static int end(void **state)
{
	fixture *f = *state;

	/* First, so that nothing waits for an answer. */
	for (int i = 0; i < f->server_count; i++) {
		if (f->servers[i] >= 0) {
			close(f->servers[i]);
		}
	}
	rl_pool_free(f->pool);
	rl_endpoint_release(f->endpoint);
	peer_end(&f->peer);
	free(f);
	return 0;
}

/* Takes a new connection, accepts it, and gets it ready. */
static rl_connection *take_new(fixture *f, rl_endpoint *endpoint)
{
	rl_connection *connection = transport->take(f->pool, endpoint, true);

	assert_non_null(connection);
	become_ready(connection);
	f->servers[f->server_count++] = peer_accept(&f->peer);
	return connection;
}

static void close_server(fixture *f, int i)
{
	close(f->servers[i]);
	f->servers[i] = -1;
}

static void an_idle_connection_is_used_again(void **state)
{
	fixture *f = *state;
	rl_connection *connection;

	assert_int_equal(rl_pool_count(f->pool), 0);
	connection = transport->take(f->pool, f->endpoint, false);
	assert_int_equal(rl_pool_count(f->pool), 1);
	become_ready(connection);
	transport->give(f->pool, connection);
	assert_int_equal(rl_pool_count(f->pool), 1);
	assert_ptr_equal(transport->take(f->pool, f->endpoint, false), connection);
}

static void a_connection_in_use_is_nobody_elses(void **state)
{
	fixture *f = *state;
	rl_connection *first = take_new(f, f->endpoint);
	rl_connection *second = transport->take(f->pool, f->endpoint, false);

	assert_ptr_not_equal(first, second);
	assert_int_equal(rl_pool_count(f->pool), 2);
}

static void a_fresh_one_is_new_in_any_case(void **state)
{
	fixture *f = *state;
	rl_connection *first = take_new(f, f->endpoint);

	transport->give(f->pool, first);
	assert_ptr_not_equal(transport->take(f->pool, f->endpoint, true), first);
	assert_int_equal(rl_pool_count(f->pool), 2);
}

static void equal_endpoints_share_connections(void **state)
{
	fixture *f = *state;
	rl_endpoint *same = endpoint_of(f->peer.dsn);
	rl_connection *connection = take_new(f, f->endpoint);

	same->persistent = true;
	transport->give(f->pool, connection);
	assert_ptr_equal(transport->take(f->pool, same, false), connection);
	rl_endpoint_release(same);
}

static void different_endpoints_do_not(void **state)
{
	fixture *f = *state;
	rl_connection *connection = take_new(f, f->endpoint);
	rl_endpoint *short_lived = endpoint_of(f->peer.dsn);
	rl_endpoint *other;
	char dsn[256];

	transport->give(f->pool, connection);
	snprintf(dsn, sizeof(dsn), "%s?db=1", f->peer.dsn);
	other = endpoint_of(dsn);
	other->persistent = true;
	assert_ptr_not_equal(transport->take(f->pool, other, false), connection);
	/* One that is closed at the end of the request is not one that is kept. */
	assert_ptr_not_equal(transport->take(f->pool, short_lived, false), connection);
	rl_endpoint_release(other);
	rl_endpoint_release(short_lived);
}

static void the_endpoint_lives_as_long_as_its_connections(void **state)
{
	fixture *f = *state;
	rl_endpoint *endpoint = endpoint_of(f->peer.dsn);
	rl_connection *connection = take_new(f, endpoint);

	rl_endpoint_release(endpoint);
	assert_string_equal(rl_connection_endpoint(connection)->address, f->peer.path);
	transport->give(f->pool, connection);
}

static void one_that_the_server_has_closed_is_replaced(void **state)
{
	fixture *f = *state;
	rl_connection *connection = take_new(f, f->endpoint);

	transport->give(f->pool, connection);
	close_server(f, 0);
	connection = transport->take(f->pool, f->endpoint, false);
	assert_int_equal(rl_pool_count(f->pool), 1);
	become_ready(connection);
	f->servers[f->server_count++] = peer_accept(&f->peer);
}

static void one_with_bytes_that_nobody_asked_for_is_replaced(void **state)
{
	fixture *f = *state;
	rl_connection *connection = take_new(f, f->endpoint);

	transport->give(f->pool, connection);
	peer_send(f->servers[0], "+OK\r\n");
	connection = transport->take(f->pool, f->endpoint, false);
	assert_false(rl_connection_is_ready(connection));
	peer_expect_closed(f->servers[0]);
}

/* A release that nobody waits for; the next command follows on the same connection. */
static void one_whose_replies_nobody_wants_is_used_again(void **state)
{
	fixture *f = *state;
	rl_connection *connection = take_new(f, f->endpoint);
	const rl_reply *reply;

	send_plain(connection, "A");
	transport->disown_replies(connection);
	transport->give(f->pool, connection);
	assert_ptr_equal(transport->take(f->pool, f->endpoint, false), connection);
	send_plain(connection, "B");
	peer_send(f->servers[0], ":1\r\n:2\r\n");
	assert_int_equal(receive(connection, &reply), RL_READY);
	assert_int_equal(reply->root.integer, 2);
}

static void a_server_that_hangs_does_not_gather_commands_without_end(void **state)
{
	fixture *f = *state;
	rl_connection *connection = take_new(f, f->endpoint);
	rl_connection *next = connection;
	int sent = 0;

	while (next == connection && sent < 1000) {
		send_plain(connection, "A");
		sent++;
		transport->disown_replies(connection);
		transport->give(f->pool, connection);
		next = transport->take(f->pool, f->endpoint, false);
	}
	assert_in_range(sent, 16, 500);
	/* The old one is kept until its answers come, and then closed. */
	assert_int_equal(rl_pool_count(f->pool), 2);
	for (int i = 0; i < sent; i++) {
		peer_send(f->servers[0], "+OK\r\n");
	}
	transport->drop(f->pool, next);
	transport->take(f->pool, f->endpoint, false);
	assert_int_equal(rl_pool_count(f->pool), 1);
}

static void so_many_are_kept_idle(void **state)
{
	fixture *f = *state;
	rl_connection *connections[RL_POOL_MAX_IDLE + 4];

	for (int i = 0; i < COUNT(connections); i++) {
		connections[i] = take_new(f, f->endpoint);
	}
	for (int i = 0; i < COUNT(connections); i++) {
		transport->give(f->pool, connections[i]);
	}
	assert_int_equal(rl_pool_count(f->pool), RL_POOL_MAX_IDLE);
	/* The oldest ones go. */
	for (int i = 0; i < 4; i++) {
		peer_expect_end(f->servers[i]);
	}
	peer_expect_nothing(f->servers[4]);
	/* And the one that was used last is used first. */
	assert_ptr_equal(transport->take(f->pool, f->endpoint, false), connections[COUNT(connections) - 1]);
}

static void a_parked_connection_waits_for_its_answers(void **state)
{
	fixture *f = *state;
	rl_connection *connection = take_new(f, f->endpoint);

	send_plain(connection, "A");
	send_plain(connection, "B");
	transport->park(f->pool, connection);
	peer_expect(f->servers[0], "*1\r\n$1\r\nA\r\n*1\r\n$1\r\nB\r\n");
	/* It is nobody's to use. */
	assert_ptr_not_equal(transport->take(f->pool, f->endpoint, false), connection);
	assert_int_equal(rl_pool_count(f->pool), 2);
	peer_send(f->servers[0], "+OK\r\n");
	transport->take(f->pool, f->endpoint, true);
	assert_int_equal(rl_pool_count(f->pool), 3);
	peer_send(f->servers[0], "+OK\r\n");
	transport->take(f->pool, f->endpoint, true);
	assert_int_equal(rl_pool_count(f->pool), 3);
	peer_expect_end(f->servers[0]);
}

static void a_parked_connection_ends_with_the_server(void **state)
{
	fixture *f = *state;
	rl_connection *connection = take_new(f, f->endpoint);

	send_plain(connection, "A");
	transport->park(f->pool, connection);
	close_server(f, 0);
	transport->take(f->pool, f->endpoint, false);
	assert_int_equal(rl_pool_count(f->pool), 1);
}

static void so_many_are_parked(void **state)
{
	fixture *f = *state;

	for (int i = 0; i < RL_POOL_MAX_PARKED + 4; i++) {
		rl_connection *connection = take_new(f, f->endpoint);

		send_plain(connection, "A");
		transport->park(f->pool, connection);
	}
	assert_int_equal(rl_pool_count(f->pool), RL_POOL_MAX_PARKED);
	for (int i = 0; i < 4; i++) {
		peer_wait_for(f->servers[i], POLLIN);
		peer_drain(f->servers[i], "*1\r\n$1\r\nA\r\n");
		peer_expect_end(f->servers[i]);
	}
}

static void a_dropped_connection_is_closed(void **state)
{
	fixture *f = *state;
	rl_connection *connection = take_new(f, f->endpoint);

	transport->drop(f->pool, connection);
	assert_int_equal(rl_pool_count(f->pool), 0);
	peer_expect_end(f->servers[0]);
}

static void the_end_of_a_request(void **state)
{
	fixture *f = *state;
	rl_endpoint *short_lived = endpoint_of(f->peer.dsn);
	rl_connection *idle = take_new(f, f->endpoint);
	rl_connection *parked = take_new(f, f->endpoint);
	rl_connection *short_lived_idle = take_new(f, short_lived);

	transport->give(f->pool, idle);
	send_plain(parked, "A");
	transport->park(f->pool, parked);
	transport->give(f->pool, short_lived_idle);
	/* Left in use by a fatal error. */
	take_new(f, f->endpoint);
	rl_pool_end_request(f->pool);
	assert_int_equal(rl_pool_count(f->pool), 2);
	peer_expect_nothing(f->servers[0]);
	peer_expect_end(f->servers[2]);
	peer_expect_end(f->servers[3]);
	assert_ptr_equal(transport->take(f->pool, f->endpoint, false), idle);
	rl_endpoint_release(short_lived);
}

/* Closing while an answer arrives would reset the connection, and the server could lose the release. */
static void the_end_of_a_request_waits_for_answers_but_not_long(void **state)
{
	fixture *f = *state;
	rl_endpoint *short_lived = endpoint_of(f->peer.dsn);
	rl_connection *connection = take_new(f, short_lived);
	int64_t began;

	send_plain(connection, "A");
	transport->disown_replies(connection);
	transport->give(f->pool, connection);
	peer_send(f->servers[0], "+OK\r\n");
	began = rl_clock_now();
	rl_pool_end_request(f->pool);
	assert_int_equal(rl_pool_count(f->pool), 0);
	assert_true(rl_clock_now() - began < 150 * RL_US_PER_MS);
	/* A server that hangs. */
	connection = take_new(f, short_lived);
	send_plain(connection, "A");
	transport->disown_replies(connection);
	transport->give(f->pool, connection);
	began = rl_clock_now();
	rl_pool_end_request(f->pool);
	assert_int_equal(rl_pool_count(f->pool), 0);
	assert_in_range(rl_clock_now() - began, 100 * RL_US_PER_MS, 900 * RL_US_PER_MS);
	rl_endpoint_release(short_lived);
}

static void freeing_closes_everything(void **state)
{
	fixture *f = *state;
	rl_connection *idle = take_new(f, f->endpoint);
	rl_connection *parked = take_new(f, f->endpoint);

	take_new(f, f->endpoint);
	transport->give(f->pool, idle);
	send_plain(parked, "A");
	transport->park(f->pool, parked);
	peer_send(f->servers[1], "+OK\r\n");
	rl_pool_free(f->pool);
	f->pool = NULL;
	rl_pool_free(NULL);
	peer_expect_end(f->servers[0]);
	peer_wait_for(f->servers[1], POLLIN);
	peer_drain(f->servers[1], "*1\r\n$1\r\nA\r\n");
	peer_expect_end(f->servers[1]);
	peer_expect_end(f->servers[2]);
}

/* Runs in a forked child, where no assertion can be reported: the exit status says how it went. */
static void in_a_child(fixture *f, bool (*run)(fixture *f))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		_exit(run(f) ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static rl_connection *in_use;

static bool use_in_child(fixture *f)
{
	rl_connection *connection = transport->take(f->pool, f->endpoint, false);
	bool alone = rl_pool_count(f->pool) == 1;

	/* What was in use at the fork may be given, parked or dropped still; it is gone. */
	transport->give(f->pool, in_use);
	transport->park(f->pool, connection);
	transport->drop(f->pool, in_use);
	rl_pool_end_request(f->pool);
	rl_pool_free(f->pool);
	return alone;
}

static bool free_in_child(fixture *f)
{
	int64_t began = rl_clock_now();

	rl_pool_end_request(f->pool);
	rl_pool_free(f->pool);
	/* It waits for no answer: they are its parent's. */
	return rl_clock_now() - began < 150 * RL_US_PER_MS;
}

static void a_forked_child_closes_its_copies_without_a_word(void **state)
{
	fixture *f = *state;
	rl_connection *idle = take_new(f, f->endpoint);
	const rl_reply *reply;

	in_use = take_new(f, f->endpoint);
	send_plain(in_use, "A");
	peer_expect(f->servers[1], "*1\r\n$1\r\nA\r\n");
	transport->give(f->pool, idle);
	in_a_child(f, use_in_child);
	f->servers[f->server_count++] = peer_accept(&f->peer);
	peer_expect_end(f->servers[2]);
	in_a_child(f, free_in_child);
	/* The parent's are undisturbed. */
	peer_expect_nothing(f->servers[0]);
	peer_expect_nothing(f->servers[1]);
	peer_send(f->servers[1], "+OK\r\n");
	assert_int_equal(receive(in_use, &reply), RL_READY);
	assert_ptr_equal(transport->take(f->pool, f->endpoint, false), idle);
	send_plain(idle, "B");
	peer_expect(f->servers[0], "*1\r\n$1\r\nB\r\n");
	peer_send(f->servers[0], "+OK\r\n");
	assert_int_equal(receive(idle, &reply), RL_READY);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_idle_connection_is_used_again),
		TEST(a_connection_in_use_is_nobody_elses),
		TEST(a_fresh_one_is_new_in_any_case),
		TEST(equal_endpoints_share_connections),
		TEST(different_endpoints_do_not),
		TEST(the_endpoint_lives_as_long_as_its_connections),
		TEST(one_that_the_server_has_closed_is_replaced),
		TEST(one_with_bytes_that_nobody_asked_for_is_replaced),
		TEST(one_whose_replies_nobody_wants_is_used_again),
		TEST(a_server_that_hangs_does_not_gather_commands_without_end),
		TEST(so_many_are_kept_idle),
		TEST(a_parked_connection_waits_for_its_answers),
		TEST(a_parked_connection_ends_with_the_server),
		TEST(so_many_are_parked),
		TEST(a_dropped_connection_is_closed),
		TEST(the_end_of_a_request),
		TEST(the_end_of_a_request_waits_for_answers_but_not_long),
		TEST(freeing_closes_everything),
		TEST(a_forked_child_closes_its_copies_without_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
