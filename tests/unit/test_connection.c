/* A connection on real sockets, with a server that does what the test says. */
#define _GNU_SOURCE   /* ppoll() */
#include "peer.h"

#include "rl_socket.h"

#include <signal.h>
#include <sys/time.h>

#ifdef __linux__
static int polls;

/* In the place of the C library's, and counts. */
int poll(struct pollfd *descriptors, nfds_t count, int timeout_ms)
{
	struct timespec timeout = {.tv_sec = timeout_ms / 1000, .tv_nsec = timeout_ms % 1000 * 1000000L};

	polls++;
	return ppoll(descriptors, count, timeout_ms < 0 ? NULL : &timeout, NULL);
}
#endif

#define PASSWORD "s3cr3t-Zx9"

typedef struct fixture {
	peer peer;
	rl_endpoint *endpoint;
	rl_connection *connection;
	int server;             /* the server's side of the connection, -1: not accepted */
} fixture;

static int begin(void **state)
{
	fixture *f = calloc(1, sizeof(*f));

	peer_listen(&f->peer, 16);
	f->server = -1;
	*state = f;
	return 0;
}

static int end(void **state)
{
	fixture *f = *state;

	if (f->connection != NULL) {
		rl_connection_close(f->connection);
	}
	rl_endpoint_release(f->endpoint);
	if (f->server >= 0) {
		close(f->server);
	}
	peer_end(&f->peer);
	free(f);
	return 0;
}

/* Opens a connection to the peer; before and after go around its address. */
static void open_with(fixture *f, const char *login, const char *options)
{
	char dsn[256];

	snprintf(dsn, sizeof(dsn), "unix://%s%s%s", login, f->peer.path, options);
	f->endpoint = endpoint_of(dsn);
	f->connection = rl_connection_open(f->endpoint);
	assert_non_null(f->connection);
	f->server = peer_accept(&f->peer);
}

static void open_ready(fixture *f)
{
	open_with(f, "", "");
	become_ready(f->connection);
}

static void open_ready_tcp(fixture *f)
{
	peer_end(&f->peer);
	peer_listen_tcp(&f->peer, "127.0.0.1", 16);
	f->endpoint = endpoint_of(f->peer.dsn);
	f->connection = rl_connection_open(f->endpoint);
	become_ready(f->connection);
	f->server = peer_accept(&f->peer);
}

static void close_server(fixture *f)
{
	close(f->server);
	f->server = -1;
}

static void without_a_log_in_nothing_is_sent(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;
	int64_t before = rl_clock_now();

	open_with(f, "", "");
	assert_false(rl_connection_is_ready(f->connection));
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_PENDING);
	assert_true(rl_connection_is_ready(f->connection));
	assert_true(rl_connection_is_usable(f->connection));
	assert_int_equal(rl_connection_outstanding(f->connection), 0);
	assert_ptr_equal(rl_connection_endpoint(f->connection), f->endpoint);
	assert_string_equal(rl_connection_run_id(f->connection), "");
	assert_in_range(rl_connection_opened_at(f->connection), before, rl_clock_now());
	assert_int_equal(rl_connection_owing_since(f->connection), 0);
	peer_expect_nothing(f->server);
}

static void a_command_and_its_reply(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;
	uint64_t mark;

	open_ready(f);
	mark = send_plain(f->connection, "PING");
	assert_true(mark > 0);
	assert_true(rl_connection_has_sent(f->connection, mark));
	assert_int_equal(rl_connection_outstanding(f->connection), 1);
	assert_true(rl_connection_owing_since(f->connection) > 0);
	peer_expect(f->server, "*1\r\n$4\r\nPING\r\n");
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_PENDING);
	peer_send(f->server, "+PONG\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_slice_equal(rl_reply_text(reply, &reply->root), "PONG");
	assert_int_equal(rl_connection_outstanding(f->connection), 0);
	assert_int_equal(rl_connection_owing_since(f->connection), 0);
	assert_true(rl_connection_is_usable(f->connection));
}

#ifdef __linux__
/* One system call less for every command; over TCP only, see connecting.c. */
static void a_reply_is_waited_for_by_reading_it(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;
	int before;

	open_ready_tcp(f);
	send_plain(f->connection, "PING");
	before = polls;
	peer_send(f->server, "+PONG\r\n");
	assert_true(rl_connection_wait(&f->connection, 1, rl_clock_now(), rl_clock_now() + PATIENCE_US));
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_READY);
	assert_slice_equal(rl_reply_text(reply, &reply->root), "PONG");
	assert_int_equal(polls, before);
	/* As long as it may wait, and no longer. */
	send_plain(f->connection, "PING");
	assert_true(rl_connection_wait(&f->connection, 1, rl_clock_now(), rl_clock_now() + 150 * RL_US_PER_MS));
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_PENDING);
	assert_int_equal(polls, before);
	rl_connection_wait(&f->connection, 1, rl_clock_now(), rl_clock_now() + 10 * RL_US_PER_MS);
	assert_int_equal(polls, before + 1);
}
#endif

static void a_reply_that_comes_byte_by_byte(void **state)
{
	static const char bytes[] = "*2\r\n:1\r\n$16\r\n1764530000123456\r\n";
	fixture *f = *state;
	const rl_reply *reply;
	int64_t number;

	open_ready(f);
	send_plain(f->connection, "X");
	for (size_t i = 0; i < sizeof(bytes) - 2; i++) {
		peer_send_bytes(f->server, &bytes[i], 1);
		assert_int_equal(receive_within(f->connection, &reply, 0), RL_PENDING);
	}
	peer_send_bytes(f->server, &bytes[sizeof(bytes) - 2], 1);
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_true(rl_reply_number(reply, 1, 1, INT64_MAX, &number));
	assert_true(number == INT64_C(1764530000123456));
}

static void an_error_reply_is_a_reply(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_ready(f);
	send_plain(f->connection, "X");
	peer_send(f->server, "-ERR no\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_int_equal(reply->type, RL_REPLY_ERROR);
	assert_true(rl_connection_is_usable(f->connection));
}

static void several_commands_are_answered_in_order(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_ready(f);
	for (int i = 0; i < 3; i++) {
		send_plain(f->connection, "X");
	}
	assert_int_equal(rl_connection_outstanding(f->connection), 3);
	peer_send(f->server, ":1\r\n:2\r\n:3\r\n");
	for (int i = 1; i <= 3; i++) {
		assert_int_equal(receive(f->connection, &reply), RL_READY);
		assert_int_equal(reply->root.integer, i);
	}
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_PENDING);
}

static void replies_that_nobody_wants_are_dropped(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_ready(f);
	send_plain(f->connection, "A");
	send_plain(f->connection, "B");
	rl_connection_disown_replies(f->connection);
	assert_true(rl_connection_is_usable(f->connection));
	send_plain(f->connection, "C");
	peer_send(f->server, ":1\r\n");
	assert_int_equal(receive_within(f->connection, &reply, 1000), RL_PENDING);
	peer_send(f->server, "-ERR b\r\n:3\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_int_equal(reply->root.integer, 3);
	assert_int_equal(rl_connection_outstanding(f->connection), 0);
}

/* ----------------------------------------------------------------------------------------------------- the log-in */

static void a_password(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_with(f, ":" PASSWORD "@", "");
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_PENDING);
	assert_false(rl_connection_is_ready(f->connection));
	peer_expect(f->server, "*2\r\n$4\r\nAUTH\r\n$10\r\n" PASSWORD "\r\n");
	peer_send(f->server, "+OK\r\n");
	become_ready(f->connection);
	/* The log-in's replies are nobody else's. */
	assert_int_equal(rl_connection_outstanding(f->connection), 0);
	send_plain(f->connection, "PING");
	peer_expect(f->server, "*1\r\n$4\r\nPING\r\n");
}

static void a_user_and_a_password_with_any_bytes(void **state)
{
	static const char expected[] = "*3\r\n$4\r\nAUTH\r\n$4\r\nus:r\r\n$5\r\np\0\r\nw\r\n";
	fixture *f = *state;
	const rl_reply *reply;

	open_with(f, "us%3Ar:p%00%0d%0aw@", "");
	rl_connection_receive(f->connection, &reply);
	peer_expect_bytes(f->server, expected, sizeof(expected) - 1);
}

static void a_database(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_with(f, "", "?db=12");
	rl_connection_receive(f->connection, &reply);
	peer_expect(f->server, "*2\r\n$6\r\nSELECT\r\n$2\r\n12\r\n");
	peer_send(f->server, "+OK\r\n");
	become_ready(f->connection);
}

static void a_password_and_a_database_go_together(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_with(f, ":p@", "?db=3");
	rl_connection_receive(f->connection, &reply);
	/* One round trip for both. */
	peer_expect(f->server, "*2\r\n$4\r\nAUTH\r\n$1\r\np\r\n*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n");
	peer_send(f->server, "+OK\r");
	assert_int_equal(receive_within(f->connection, &reply, 1000), RL_PENDING);
	peer_send(f->server, "\n+O");
	assert_int_equal(receive_within(f->connection, &reply, 1000), RL_PENDING);
	assert_false(rl_connection_is_ready(f->connection));
	peer_send(f->server, "K\r\n");
	become_ready(f->connection);
}

static void a_wrong_password(void **state)
{
	fixture *f = *state;

	open_with(f, "user:" PASSWORD "@", "");
	peer_send(f->server, "-WRONGPASS invalid username-password pair or user is disabled.\r\n");
	expect_failure(f->connection, RL_SERVER, "WRONGPASS");
	assert_string_equal(rl_connection_error(f->connection)->code, "WRONGPASS");
	assert_contains(rl_connection_error(f->connection)->message, "user:***@");
	assert_contains_not(rl_connection_error(f->connection)->message, PASSWORD);
}

static void a_database_that_does_not_exist(void **state)
{
	fixture *f = *state;

	open_with(f, ":p@", "?db=99");
	peer_send(f->server, "+OK\r\n-ERR DB index is out of range\r\n");
	expect_failure(f->connection, RL_SERVER, "DB index is out of range");
}

static void a_log_in_answered_with_nonsense(void **state)
{
	fixture *f = *state;

	open_with(f, ":p@", "");
	peer_send(f->server, "SSH-2.0-OpenSSH_9.2\r\n");
	expect_failure(f->connection, RL_SERVER, "not valid");
}

static void a_server_that_closes_during_the_log_in(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_with(f, ":" PASSWORD "@", "?db=3");
	rl_connection_receive(f->connection, &reply);
	peer_send(f->server, "+OK\r\n");
	close_server(f);
	/* A unix socket that is closed with bytes unread is reset. */
	expect_failure(f->connection, RL_CONNECTION, "unix://:***@/");
	assert_contains_not(rl_connection_error(f->connection)->message, PASSWORD);
}

/* ---------------------------------------------------------------------------------------------------- what breaks */

static void a_socket_that_does_not_exist(void **state)
{
	fixture *f = *state;

	f->endpoint = endpoint_of("unix:///tmp/redislock-no-such.sock");
	f->connection = rl_connection_open(f->endpoint);
	assert_non_null(f->connection);
	expect_failure(f->connection, RL_CONNECTION, "No such file");
}

static void nobody_listens_any_more(void **state)
{
	fixture *f = *state;

	close(f->peer.listener);
	f->peer.listener = -1;
	f->endpoint = endpoint_of(f->peer.dsn);
	f->connection = rl_connection_open(f->endpoint);
	expect_failure(f->connection, RL_CONNECTION, "Connection refused");
}

static void a_full_backlog(void **state)
{
	fixture *f = *state;
	rl_connection *first;
	peer full;

	peer_listen(&full, 0);
	f->endpoint = endpoint_of(full.dsn);
	first = rl_connection_open(f->endpoint);
	f->connection = rl_connection_open(f->endpoint);
	expect_failure(f->connection, RL_CONNECTION, "Connection refused");
	rl_connection_close(first);
	peer_end(&full);
}

static void a_server_that_closes_at_once(void **state)
{
	fixture *f = *state;

	open_ready(f);
	close_server(f);
	assert_false(rl_connection_is_usable(f->connection));
	send_plain(f->connection, "PING");
	expect_failure(f->connection, RL_CONNECTION, f->endpoint->display);
}

/* Full of clients, or a protocol error: what it says before it closes is worth more than that it has closed. */
static void a_server_that_says_why_it_closes(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;
	uint64_t mark;

	open_ready(f);
	peer_send(f->server, "-ERR max number of clients reached\r\n");
	close_server(f);
	mark = send_plain(f->connection, "PING");
	assert_false(rl_connection_has_sent(f->connection, mark));
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_slice_equal(rl_reply_text(reply, &reply->root), "ERR max number of clients reached");
	assert_false(rl_connection_is_usable(f->connection));
	send_plain(f->connection, "PING");
	expect_failure(f->connection, RL_CONNECTION, "pipe");
}

/* It cannot be the answer to a command that never left. */
static void a_server_that_says_something_else_as_it_closes(void **state)
{
	fixture *f = *state;

	open_ready(f);
	peer_send(f->server, ":1\r\n");
	close_server(f);
	send_plain(f->connection, "PING");
	expect_failure(f->connection, RL_CONNECTION, "pipe");
}

static void a_server_that_closes_instead_of_answering(void **state)
{
	fixture *f = *state;
	uint64_t mark;

	open_ready(f);
	mark = send_plain(f->connection, "PING");
	peer_expect(f->server, "*1\r\n$4\r\nPING\r\n");
	close_server(f);
	expect_failure(f->connection, RL_CONNECTION, "closed the connection");
	/* It was sent: the server may have run it. */
	assert_true(rl_connection_has_sent(f->connection, mark));
}

static void a_server_that_closes_in_the_middle_of_an_answer(void **state)
{
	static const char answer[] = "*2\r\n:1\r\n$2\r\nab\r\n";

	(void) state;
	for (size_t cut = 1; cut < sizeof(answer) - 1; cut++) {
		fixture *f;
		void *inner;

		begin(&inner);
		f = inner;
		open_ready(f);
		send_plain(f->connection, "X");
		peer_expect(f->server, "*1\r\n$1\r\nX\r\n");
		peer_send_bytes(f->server, answer, cut);
		close_server(f);
		expect_failure(f->connection, RL_CONNECTION, "closed the connection");
		end(&inner);
	}
}

static void a_server_that_closes_after_the_answer(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_ready(f);
	send_plain(f->connection, "X");
	peer_expect(f->server, "*1\r\n$1\r\nX\r\n");
	peer_send(f->server, "+OK\r\n");
	close_server(f);
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_false(rl_connection_is_usable(f->connection));
}

static void answers_that_are_none(void **state)
{
	static const char *const wrong[] = {"HTTP/1.1 400 Bad Request\r\n", "*1\r\n*1\r\n:1\r\n", "*9\r\n",
		"%1\r\n+a\r\n:1\r\n", "\r\n"};

	(void) state;
	for (int i = 0; i < COUNT(wrong); i++) {
		fixture *f;
		void *inner;

		begin(&inner);
		f = inner;
		open_ready(f);
		send_plain(f->connection, "X");
		peer_send(f->server, wrong[i]);
		expect_failure(f->connection, RL_SERVER, "not valid");
		assert_string_equal(rl_connection_error(f->connection)->code, "");
		end(&inner);
	}
}

static void an_answer_without_end(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;
	char page[4096];
	size_t sent = 0;
	rl_progress progress = RL_PENDING;

	open_ready(f);
	send_plain(f->connection, "X");
	peer_send(f->server, "$536870912\r\n");
	memset(page, 'x', sizeof(page));
	while (progress == RL_PENDING && sent < 10 * RL_REPLY_MAX_BYTES) {
		ssize_t some = send(f->server, page, sizeof(page), MSG_NOSIGNAL);

		sent += some > 0 ? (size_t) some : 0;
		progress = rl_connection_receive(f->connection, &reply);
	}
	expect_failure(f->connection, RL_SERVER, "larger");
	assert_true(sent < 2 * RL_REPLY_MAX_BYTES);
}

/* ------------------------------------------------------------------------------------------------ idle connections */

static void stray_bytes_make_it_unusable(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_ready(f);
	send_plain(f->connection, "X");
	peer_send(f->server, "+OK\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_true(rl_connection_is_usable(f->connection));
	peer_send(f->server, "+OK\r\n");
	assert_false(rl_connection_is_usable(f->connection));
}

static void stray_bytes_that_came_with_the_answer_make_it_unusable(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_ready(f);
	send_plain(f->connection, "X");
	peer_send(f->server, "+OK\r\n+OK\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_false(rl_connection_is_usable(f->connection));
}

static void replies_that_nobody_wants_leave_it_usable(void **state)
{
	fixture *f = *state;

	open_ready(f);
	send_plain(f->connection, "X");
	rl_connection_disown_replies(f->connection);
	assert_true(rl_connection_is_usable(f->connection));
	peer_send(f->server, "+O");
	assert_true(rl_connection_is_usable(f->connection));
	peer_send(f->server, "K\r\n");
	assert_true(rl_connection_is_usable(f->connection));
	assert_int_equal(rl_connection_outstanding(f->connection), 0);
	assert_true(rl_connection_is_usable(f->connection));
}

/* The release of a destructor was answered, and then the server closed the idle connection, or was restarted. */
static void a_close_behind_a_reply_that_nobody_wants_makes_it_unusable(void **state)
{
	fixture *f = *state;

	open_ready(f);
	send_plain(f->connection, "X");
	rl_connection_disown_replies(f->connection);
	peer_expect(f->server, "*1\r\n$1\r\nX\r\n");
	peer_send(f->server, "+OK\r\n");
	close_server(f);
	assert_false(rl_connection_is_usable(f->connection));
}

/* They would be taken for the answer to the next command. */
static void stray_bytes_behind_a_reply_that_nobody_wants_make_it_unusable(void **state)
{
	fixture *f = *state;

	open_ready(f);
	send_plain(f->connection, "X");
	rl_connection_disown_replies(f->connection);
	peer_send(f->server, "+OK\r\n*2\r\n:1\r\n:7\r\n");
	assert_false(rl_connection_is_usable(f->connection));
}

static void a_reply_that_nobody_wants_and_that_is_none_makes_it_unusable(void **state)
{
	fixture *f = *state;

	open_ready(f);
	send_plain(f->connection, "X");
	rl_connection_disown_replies(f->connection);
	peer_send(f->server, "junk\r\n");
	assert_false(rl_connection_is_usable(f->connection));
}

/* ------------------------------------------------------------------------------------------------- large and slow */

static void a_command_that_does_not_fit_into_the_socket(void **state)
{
	fixture *f = *state;
	size_t length = 2 * 1024 * 1024;
	char *large = malloc(length);
	char *page = malloc(65536);
	const rl_reply *reply;
	rl_command command;
	uint64_t mark;
	size_t got = 0;
	int64_t until = rl_clock_now() + 4 * PATIENCE_US;

	open_ready(f);
	memset(large, 'x', length);
	rl_command_init_plain(&command, "X");
	rl_command_add(&command, rl_slice_make(large, length));
	mark = rl_connection_send(f->connection, &command, RL_BY_HASH, rl_clock_now());
	assert_true(mark > length);
	/* The slices are not needed any more. */
	free(large);
	assert_false(rl_connection_has_sent(f->connection, mark));
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_PENDING);
	while (!rl_connection_has_sent(f->connection, mark)) {
		ssize_t more;

		while ((more = recv(f->server, page, 65536, 0)) > 0) {
			got += (size_t) more;
		}
		assert_int_equal(rl_connection_receive(f->connection, &reply), RL_PENDING);
		rl_connection_wait(&f->connection, 1, rl_clock_now(), rl_clock_now() + 1000);
		assert_true(rl_clock_now() < until);
	}
	while (got < mark) {
		ssize_t more;

		peer_wait_for(f->server, POLLIN);
		more = recv(f->server, page, 65536, 0);
		assert_true(more > 0);
		got += (size_t) more;
	}
	assert_true(got == mark);
	peer_send(f->server, "+OK\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	free(page);
}

/* "Full of clients" and a protocol error come before the whole command was read. */
static void an_answer_to_a_command_that_is_only_partly_written(void **state)
{
	fixture *f = *state;
	size_t length = 8 * 1024 * 1024;
	char *large = malloc(length);
	const rl_reply *reply;
	rl_command command;

	open_ready(f);
	memset(large, 'x', length);
	rl_command_init_plain(&command, "X");
	rl_command_add(&command, rl_slice_make(large, length));
	rl_connection_send(f->connection, &command, RL_BY_HASH, rl_clock_now());
	free(large);
	peer_send(f->server, "-ERR max number of clients reached\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_slice_equal(rl_reply_text(reply, &reply->root), "ERR max number of clients reached");
}

/* The password is wiped from the buffer for the wire. */
static void commands_after_the_log_in_are_counted_from_their_own_bytes(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;
	uint64_t first, second;

	open_with(f, ":p@", "?db=1");
	rl_connection_receive(f->connection, &reply);
	peer_send(f->server, "+OK\r\n+OK\r\n");
	become_ready(f->connection);
	first = send_plain(f->connection, "A");
	assert_int_equal(first, strlen("*1\r\n$1\r\nA\r\n"));
	second = send_plain(f->connection, "B");
	assert_int_equal(second, 2 * first);
	assert_true(rl_connection_has_sent(f->connection, second));
	assert_false(rl_connection_has_sent(f->connection, second + 1));
}

static void hanging_up_ends_only_our_side(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_ready(f);
	send_plain(f->connection, "X");
	rl_connection_hang_up(f->connection);
	peer_wait_for(f->server, POLLIN);
	peer_drain(f->server, "*1\r\n$1\r\nX\r\n");
	peer_expect_end(f->server);
	peer_send(f->server, "+OK\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
}

static void hanging_up_what_was_never_connected(void **state)
{
	fixture *f = *state;

	f->endpoint = endpoint_of("unix:///tmp/redislock-no-such.sock");
	f->connection = rl_connection_open(f->endpoint);
	rl_connection_hang_up(f->connection);
}

static void closing_says_nothing(void **state)
{
	fixture *f = *state;

	open_ready(f);
	rl_connection_close(f->connection);
	f->connection = NULL;
	peer_expect_end(f->server);
}

static void a_descriptor_is_not_inherited_by_other_programs(void **state)
{
	fixture *f = *state;
	int next = dup(0);

	/* The next descriptor that the system gives is the lowest that is free. */
	close(next);
	f->endpoint = endpoint_of(f->peer.dsn);
	f->connection = rl_connection_open(f->endpoint);
	f->server = peer_accept(&f->peer);
	assert_true((fcntl(next, F_GETFD) & FD_CLOEXEC) != 0);
	assert_true((fcntl(next, F_GETFL) & O_NONBLOCK) != 0);
}

/* ------------------------------------------------------------------------------------------------------------ wait */

static void note_signal(int number)
{
	(void) number;
}

static void waiting_for_nothing_is_a_pause(void **state)
{
	int64_t began = rl_clock_now();

	(void) state;
	assert_true(rl_connection_wait(NULL, 0, rl_clock_now(), began + 20000));
	assert_in_range(rl_clock_now() - began, 20000, 1000000);
	began = rl_clock_now();
	assert_true(rl_connection_wait(NULL, 0, rl_clock_now(), began - 1));
	assert_in_range(rl_clock_now() - began, 0, 500000);
}

static void waiting_ends_as_something_arrives(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;
	int64_t began;

	open_ready(f);
	send_plain(f->connection, "X");
	began = rl_clock_now();
	assert_true(rl_connection_wait(&f->connection, 1, rl_clock_now(), began + 20000));
	assert_true(rl_clock_now() - began >= 20000);
	peer_send(f->server, "+OK\r\n");
	began = rl_clock_now();
	assert_true(rl_connection_wait(&f->connection, 1, rl_clock_now(), began + PATIENCE_US));
	assert_true(rl_clock_now() - began < PATIENCE_US / 2);
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_READY);
}

/* A wait that reads ends now and then without anything; what comes later is still met, and the end of the connection too. */
static void waiting_for_an_answer_that_takes_its_time(fixture *f, void (*open)(fixture *f))
{
	const rl_reply *reply;
	int64_t began;

	open(f);
	send_plain(f->connection, "X");
	began = rl_clock_now();
	assert_int_equal(receive_within(f->connection, &reply, 250000), RL_PENDING);
	assert_true(rl_clock_now() - began >= 250000);
	peer_send(f->server, "+O");
	assert_int_equal(receive_within(f->connection, &reply, 150000), RL_PENDING);
	peer_send(f->server, "K\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
	assert_slice_equal(rl_reply_text(reply, &reply->root), "OK");
	send_plain(f->connection, "Y");
	peer_drain(f->server, "*1\r\n$1\r\nX\r\n*1\r\n$1\r\nY\r\n");
	close_server(f);
	assert_true(rl_connection_wait(&f->connection, 1, rl_clock_now(), rl_clock_now() + PATIENCE_US));
	expect_failure(f->connection, RL_CONNECTION, "the server closed the connection");
}

static void waiting_for_an_answer_that_takes_its_time_over_a_unix_socket(void **state)
{
	waiting_for_an_answer_that_takes_its_time(*state, open_ready);
}

static void waiting_for_an_answer_that_takes_its_time_over_tcp(void **state)
{
	waiting_for_an_answer_that_takes_its_time(*state, open_ready_tcp);
}

static void waiting_for_one_that_failed_ends_at_once(void **state)
{
	fixture *f = *state;
	int64_t began = rl_clock_now();

	f->endpoint = endpoint_of("unix:///tmp/redislock-no-such.sock");
	f->connection = rl_connection_open(f->endpoint);
	assert_true(rl_connection_wait(&f->connection, 1, rl_clock_now(), began + PATIENCE_US));
	assert_true(rl_clock_now() - began < PATIENCE_US / 2);
}

static void waiting_ends_with_a_signal(fixture *f, void (*open)(fixture *f))
{
	/* Not restarted: and if it were, the wait would end all the same. */
	struct sigaction action = {.sa_handler = note_signal}, before;
	struct itimerval soon = {.it_value = {.tv_usec = 20000}};
	int64_t began;

	open(f);
	send_plain(f->connection, "X");
	sigaction(SIGALRM, &action, &before);
	began = rl_clock_now();
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_false(rl_connection_wait(&f->connection, 1, rl_clock_now(), began + PATIENCE_US));
	assert_true(rl_clock_now() - began < PATIENCE_US / 2);
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_false(rl_connection_wait(&f->connection, 1, rl_clock_now(), rl_clock_now() + PATIENCE_US));
	setitimer(ITIMER_REAL, &soon, NULL);
	assert_false(rl_connection_wait(NULL, 0, rl_clock_now(), rl_clock_now() + PATIENCE_US));
	sigaction(SIGALRM, &before, NULL);
	assert_true(rl_connection_is_usable(f->connection));
}

static void waiting_ends_with_a_signal_over_a_unix_socket(void **state)
{
	waiting_ends_with_a_signal(*state, open_ready);
}

static void waiting_ends_with_a_signal_over_tcp(void **state)
{
	waiting_ends_with_a_signal(*state, open_ready_tcp);
}

static void waiting_for_many(void **state)
{
	fixture *f = *state;
	rl_connection *many[100];
	const rl_reply *reply;

	open_ready(f);
	send_plain(f->connection, "X");
	for (int i = 0; i < COUNT(many); i++) {
		many[i] = f->connection;
	}
	peer_send(f->server, "+OK\r\n");
	assert_true(rl_connection_wait(many, COUNT(many), rl_clock_now(), rl_clock_now() + PATIENCE_US));
	assert_int_equal(rl_connection_receive(f->connection, &reply), RL_READY);
}

/* A signal's default would end the whole program. */
static void writing_to_a_closed_connection_raises_no_signal(void **state)
{
	fixture *f = *state;
	struct sigaction action = {.sa_handler = SIG_DFL}, before;

	sigaction(SIGPIPE, &action, &before);
	open_ready(f);
	close_server(f);
	for (int i = 0; i < 3; i++) {
		send_plain(f->connection, "X");
	}
	expect_failure(f->connection, RL_CONNECTION, "unix://");
	sigaction(SIGPIPE, &before, NULL);
}

/* ------------------------------------------------------------------------------------------------------------- TCP */

static void over_tcp(void **state)
{
	fixture *f = *state;
	const rl_reply *reply;

	open_ready_tcp(f);
	send_plain(f->connection, "PING");
	peer_expect(f->server, "*1\r\n$4\r\nPING\r\n");
	peer_send(f->server, "+PONG\r\n");
	assert_int_equal(receive(f->connection, &reply), RL_READY);
}

static void over_tcp_the_kernel_watches_the_peer(void **state)
{
	fixture *f = *state;
	int next = dup(0);
	int value = 0;
	socklen_t length = sizeof(value);
	const rl_reply *reply;

	peer_end(&f->peer);
	peer_listen_tcp(&f->peer, "127.0.0.1", 16);
	close(next);
	next = dup(0);
	close(next);
	f->endpoint = endpoint_of(f->peer.dsn);
	f->connection = rl_connection_open(f->endpoint);
	rl_connection_receive(f->connection, &reply);
	assert_int_equal(getsockopt(next, SOL_SOCKET, SO_KEEPALIVE, &value, &length), 0);
	assert_int_equal(value, 1);
	f->server = peer_accept(&f->peer);
}

static void over_tcp_a_refused_connect(void **state)
{
	fixture *f = *state;

	peer_end(&f->peer);
	peer_listen_tcp(&f->peer, "127.0.0.1", 16);
	close(f->peer.listener);
	f->peer.listener = -1;
	f->endpoint = endpoint_of(f->peer.dsn);
	f->connection = rl_connection_open(f->endpoint);
	expect_failure(f->connection, RL_CONNECTION, "Connection refused");
	assert_contains(rl_connection_error(f->connection)->message, "redis://127.0.0.1:");
}

static void over_tcp_a_reset(void **state)
{
	fixture *f = *state;

	open_ready_tcp(f);
	send_plain(f->connection, "X");
	peer_reset(f->server);
	f->server = -1;
	expect_failure(f->connection, RL_CONNECTION, "reset");
}

/* Nothing listens on some of the addresses of a name: the next one is tried. */
static void over_tcp_by_name(void **state)
{
	fixture *f = *state;

	peer_end(&f->peer);
	peer_listen_tcp(&f->peer, "localhost", 16);
	f->endpoint = endpoint_of(f->peer.dsn);
	f->connection = rl_connection_open(f->endpoint);
	become_ready(f->connection);
	f->server = peer_accept(&f->peer);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_log_in_nothing_is_sent),
		TEST(a_command_and_its_reply),
#ifdef __linux__
		TEST(a_reply_is_waited_for_by_reading_it),
#endif
		TEST(a_reply_that_comes_byte_by_byte),
		TEST(an_error_reply_is_a_reply),
		TEST(several_commands_are_answered_in_order),
		TEST(replies_that_nobody_wants_are_dropped),
		TEST(a_password),
		TEST(a_user_and_a_password_with_any_bytes),
		TEST(a_database),
		TEST(a_password_and_a_database_go_together),
		TEST(a_wrong_password),
		TEST(a_database_that_does_not_exist),
		TEST(a_log_in_answered_with_nonsense),
		TEST(a_server_that_closes_during_the_log_in),
		TEST(a_socket_that_does_not_exist),
		TEST(nobody_listens_any_more),
		TEST(a_full_backlog),
		TEST(a_server_that_closes_at_once),
		TEST(a_server_that_says_why_it_closes),
		TEST(a_server_that_says_something_else_as_it_closes),
		TEST(a_server_that_closes_instead_of_answering),
		TEST(a_server_that_closes_in_the_middle_of_an_answer),
		TEST(a_server_that_closes_after_the_answer),
		TEST(answers_that_are_none),
		TEST(an_answer_without_end),
		TEST(stray_bytes_make_it_unusable),
		TEST(stray_bytes_that_came_with_the_answer_make_it_unusable),
		TEST(replies_that_nobody_wants_leave_it_usable),
		TEST(a_close_behind_a_reply_that_nobody_wants_makes_it_unusable),
		TEST(stray_bytes_behind_a_reply_that_nobody_wants_make_it_unusable),
		TEST(a_reply_that_nobody_wants_and_that_is_none_makes_it_unusable),
		TEST(a_command_that_does_not_fit_into_the_socket),
		TEST(an_answer_to_a_command_that_is_only_partly_written),
		TEST(commands_after_the_log_in_are_counted_from_their_own_bytes),
		TEST(hanging_up_ends_only_our_side),
		TEST(hanging_up_what_was_never_connected),
		TEST(closing_says_nothing),
		TEST(a_descriptor_is_not_inherited_by_other_programs),
		TEST(waiting_for_nothing_is_a_pause),
		TEST(waiting_ends_as_something_arrives),
		TEST(waiting_for_an_answer_that_takes_its_time_over_a_unix_socket),
		TEST(waiting_for_an_answer_that_takes_its_time_over_tcp),
		TEST(waiting_for_one_that_failed_ends_at_once),
		TEST(waiting_ends_with_a_signal_over_a_unix_socket),
		TEST(waiting_ends_with_a_signal_over_tcp),
		TEST(waiting_for_many),
		TEST(writing_to_a_closed_connection_raises_no_signal),
		TEST(over_tcp),
		TEST(over_tcp_the_kernel_watches_the_peer),
		TEST(over_tcp_a_refused_connect),
		TEST(over_tcp_a_reset),
		TEST(over_tcp_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
