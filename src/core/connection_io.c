/* What goes over a connection: bytes out, and replies in. */
#include "rl_connection_private.h"

#include <errno.h>

enum { READ_SIZE = 16 * 1024 };

/* A server for TLS hangs up on everything else, and its own words would be no help. */
static bool seems_to_want_tls(const rl_connection *connection)
{
	return connection->endpoint->kind == RL_ENDPOINT_TCP && connection->state >= RL_STATE_LOGGING_IN
		&& !connection->heard;
}

rl_progress rl_connection_fail(rl_connection *connection, const char *what)
{
	char detail[256];

	if (connection->tls != NULL && rl_tls_explain(connection->tls, detail, sizeof(detail))) {
		what = detail;
	}
	rl_error_set(&connection->error, RL_CONNECTION, "%s: %s%s", connection->endpoint->display, what,
		seems_to_want_tls(connection) ? " (it never said a word: is it a server for rediss://?)" : "");
	connection->state = RL_STATE_FAILED;
	return RL_FAILED;
}

/* The server answered, but with something whose end cannot be told. */
static rl_progress refuse(rl_connection *connection, const char *what)
{
	rl_connection_fail(connection, what);
	connection->error.status = RL_SERVER;
	return RL_FAILED;
}

rl_progress rl_connection_flush(rl_connection *connection)
{
	while (connection->out.length > 0) {
		ssize_t written = connection->tls != NULL
			? rl_tls_write(connection->tls, connection->out.data, connection->out.length)
			: rl_socket_send(connection->fd, connection->out.data, connection->out.length);
		size_t login;

		if (written < 0) {
			if (errno == EAGAIN || errno == EINTR) {
				return RL_PENDING;
			}
			/* The server has closed the connection, and may have said why: full of clients, a password is needed. */
			connection->write_problem = errno;
			connection->out.length = 0;
			return RL_READY;
		}
		login = (size_t) written < connection->login_unsent ? (size_t) written : connection->login_unsent;
		connection->login_unsent -= login;
		connection->commands_sent += (size_t) written - login;
		rl_buffer_consume(&connection->out, (size_t) written);
		if (login > 0) {
			/* It held the password. */
			rl_wipe(connection->out.data + connection->out.length, connection->out.capacity - connection->out.length);
		}
	}
	return RL_READY;
}

/* Takes what a read has got, or why it got nothing (errno). RL_READY: something was read. */
static rl_progress feed(rl_connection *connection, const char *bytes, ssize_t got)
{
	if (got <= 0 && connection->write_problem != 0) {
		return rl_connection_fail(connection, strerror(connection->write_problem));
	}
	if (got == 0) {
		return rl_connection_fail(connection, "the server closed the connection");
	}
	if (got < 0) {
		return errno == EAGAIN || errno == EINTR ? RL_PENDING : rl_connection_fail(connection, strerror(errno));
	}
	connection->heard = true;
	if (!rl_reply_reader_feed(connection->reader, bytes, (size_t) got)) {
		return refuse(connection, "the reply is larger than any that redislock asks for");
	}
	return RL_READY;
}

/* Reads what is there, once. RL_READY: something was read. */
static rl_progress fill(rl_connection *connection)
{
	char bytes[READ_SIZE];
	ssize_t got = connection->tls != NULL
		? rl_tls_read(connection->tls, bytes, sizeof(bytes))
		: rl_socket_receive(connection->fd, bytes, sizeof(bytes));

	return feed(connection, bytes, got);
}

rl_progress rl_connection_next_reply(rl_connection *connection, const rl_reply **reply)
{
	for (;;) {
		rl_progress filled;

		switch (rl_reply_reader_next(connection->reader, reply)) {
			case RL_REPLY_COMPLETE:
				return RL_READY;
			case RL_REPLY_REFUSED:
				return refuse(connection, "the reply is not valid, or not one that redislock asks for");
			case RL_REPLY_INCOMPLETE:
				break;
		}
		filled = fill(connection);
		if (filled != RL_READY) {
			return filled;
		}
	}
}

bool rl_connection_wait_by_reading(rl_connection *connection)
{
	char bytes[READ_SIZE];
	ssize_t got = rl_socket_wait_and_receive(connection->fd, bytes, sizeof(bytes));
	bool signal = got < 0 && errno == EINTR;

	/* What it has read, or why it failed, is for the next receive. */
	feed(connection, bytes, got);
	return !signal;
}
