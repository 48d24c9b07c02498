/* The other side of a real connection: a server that does only what the test says, step by step, in the same thread. */
#ifndef PEER_H
#define PEER_H

#include "support.h"

#include "rl_clock.h"
#include "rl_connection.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

typedef struct peer {
	int listener;
	int port;              /* 0: a unix socket */
	char path[64];
	char dsn[128];
} peer;

/* How long a test waits at most for what must happen. */
enum { PATIENCE_US = 5 * RL_US_PER_S };

static inline void peer_listen(peer *peer, int backlog)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	static int number;

	snprintf(peer->path, sizeof(peer->path), "/tmp/redislock-peer.%d.%d", (int) getpid(), number++);
	snprintf(peer->dsn, sizeof(peer->dsn), "unix://%s", peer->path);
	strcpy(address.sun_path, peer->path);
	unlink(peer->path);
	peer->port = 0;
	peer->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(peer->listener, (const struct sockaddr *) &address, sizeof(address)), 0);
	assert_int_equal(listen(peer->listener, backlog), 0);
}

static inline void peer_listen_tcp(peer *peer, const char *host, int backlog)
{
	struct sockaddr_in address = {.sin_family = AF_INET};
	socklen_t length = sizeof(address);

	peer->path[0] = '\0';
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	peer->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(peer->listener, (const struct sockaddr *) &address, sizeof(address)), 0);
	assert_int_equal(listen(peer->listener, backlog), 0);
	assert_int_equal(getsockname(peer->listener, (struct sockaddr *) &address, &length), 0);
	peer->port = ntohs(address.sin_port);
	snprintf(peer->dsn, sizeof(peer->dsn), "redis://%s:%d", host, peer->port);
}

static inline void peer_end(peer *peer)
{
	close(peer->listener);
	if (peer->path[0] != '\0') {
		unlink(peer->path);
	}
}

static inline void peer_wait_for(int fd, short events)
{
	struct pollfd descriptor = {.fd = fd, .events = events};

	assert_int_equal(poll(&descriptor, 1, PATIENCE_US / 1000), 1);
}

/* The next client. */
static inline int peer_accept(const peer *peer)
{
	int fd;

	peer_wait_for(peer->listener, POLLIN);
	fd = accept(peer->listener, NULL, NULL);
	assert_true(fd >= 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static inline bool peer_has_client(const peer *peer)
{
	struct pollfd descriptor = {.fd = peer->listener, .events = POLLIN};

	return poll(&descriptor, 1, 20) == 1;
}

/* The client must have sent exactly that. */
static inline void peer_expect_bytes(int fd, const char *bytes, size_t length)
{
	char got[4096];
	size_t have = 0;

	assert_true(length < sizeof(got));
	while (have < length) {
		ssize_t more;

		peer_wait_for(fd, POLLIN);
		more = recv(fd, got + have, length - have, 0);
		assert_true(more > 0);
		have += (size_t) more;
	}
	assert_memory_equal(got, bytes, length);
	assert_true(recv(fd, got, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

static inline void peer_expect(int fd, const char *text)
{
	peer_expect_bytes(fd, text, strlen(text));
}

/* The same, whatever comes behind it. */
static inline void peer_drain(int fd, const char *text)
{
	char got[4096];
	ssize_t have = recv(fd, got, strlen(text), 0);

	assert_int_equal(have, strlen(text));
	assert_memory_equal(got, text, strlen(text));
}

/* The client must have closed its side, having said nothing more. */
static inline void peer_expect_end(int fd)
{
	char byte;

	peer_wait_for(fd, POLLIN);
	assert_int_equal(recv(fd, &byte, 1, 0), 0);
}

/* The client must have closed its side; what it had not read makes that a reset. */
static inline void peer_expect_closed(int fd)
{
	char byte;
	ssize_t got;

	peer_wait_for(fd, POLLIN);
	got = recv(fd, &byte, 1, 0);
	assert_true(got == 0 || (got < 0 && errno == ECONNRESET));
}

/* The client must have said nothing, and not have closed. */
static inline void peer_expect_nothing(int fd)
{
	char byte;

	assert_true(recv(fd, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

static inline void peer_send_bytes(int fd, const char *bytes, size_t length)
{
	assert_int_equal(send(fd, bytes, length, MSG_NOSIGNAL), length);
}

static inline void peer_send(int fd, const char *text)
{
	peer_send_bytes(fd, text, strlen(text));
}

/* Closes with a reset instead of an end. */
static inline void peer_reset(int fd)
{
	struct linger linger = {.l_onoff = 1};

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(fd);
}

static inline rl_endpoint *endpoint_of(const char *dsn)
{
	rl_error error;
	rl_endpoint *endpoint = rl_endpoint_parse(dsn, strlen(dsn), &error);

	assert_non_null(endpoint);
	return endpoint;
}

/* Waits for the next reply, as a call does. RL_PENDING: none came in time. */
static inline rl_progress receive_within(rl_connection *connection, const rl_reply **reply, int64_t microseconds)
{
	int64_t until = rl_clock_now() + microseconds;
	rl_progress progress;

	while ((progress = rl_connection_receive(connection, reply)) == RL_PENDING && rl_clock_now() < until) {
		rl_connection_wait(&connection, 1, rl_clock_now(), until);
	}
	return progress;
}

static inline rl_progress receive(rl_connection *connection, const rl_reply **reply)
{
	return receive_within(connection, reply, PATIENCE_US);
}

/* Goes on until it is logged in. */
static inline void become_ready(rl_connection *connection)
{
	int64_t until = rl_clock_now() + PATIENCE_US;
	const rl_reply *reply;

	while (!rl_connection_is_ready(connection) && rl_clock_now() < until) {
		if (rl_connection_receive(connection, &reply) == RL_FAILED) {
			fail_msg("%s", rl_connection_error(connection)->message);
		}
		if (!rl_connection_is_ready(connection)) {
			rl_connection_wait(&connection, 1, rl_clock_now(), until);
		}
	}
	assert_true(rl_connection_is_ready(connection));
}

/* Must fail, with that status and that in the message. */
static inline void expect_failure(rl_connection *connection, rl_status status, const char *part)
{
	const rl_reply *reply;
	const rl_error *error;

	assert_int_equal(receive(connection, &reply), RL_FAILED);
	error = rl_connection_error(connection);
	assert_int_equal(error->status, status);
	assert_contains(error->message, part);
	assert_printable(error);
	assert_false(rl_connection_is_ready(connection));
	/* For good. */
	assert_int_equal(rl_connection_receive(connection, &reply), RL_FAILED);
	assert_false(rl_connection_is_usable(connection));
}

static inline uint64_t send_plain(rl_connection *connection, const char *name)
{
	rl_command command;

	rl_command_init_plain(&command, name);
	return rl_connection_send(connection, &command, RL_BY_HASH, rl_clock_now());
}

#endif
