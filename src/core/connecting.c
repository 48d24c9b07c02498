/* The way of a connection to its server: look-up, connect, TLS, log-in. */
#include "rl_connection_private.h"

#include <errno.h>

void rl_connection_close_socket(rl_connection *connection)
{
	rl_tls_free(connection->tls);
	connection->tls = NULL;
	if (connection->fd >= 0) {
		rl_socket_close(connection->fd);
		connection->fd = -1;
	}
}

void rl_connection_begin(rl_connection *connection)
{
	const rl_endpoint *endpoint = connection->endpoint;

	connection->state = RL_STATE_CONNECTING;
	if (endpoint->kind == RL_ENDPOINT_UNIX) {
		connection->fd = rl_socket_connect_unix(endpoint->host);
		if (connection->fd < 0) {
			rl_connection_fail(connection, strerror(errno));
		}
		return;
	}
	connection->state = RL_STATE_RESOLVING;
	connection->resolver = rl_resolver_start(endpoint->host, endpoint->port, &connection->error);
	if (connection->resolver == NULL) {
		connection->state = RL_STATE_FAILED;
	}
}

/* Tries the addresses in turn, until a connect begins. */
static rl_progress connect_next(rl_connection *connection, int reason)
{
	rl_connection_close_socket(connection);
	while (connection->next_address != NULL) {
		const struct addrinfo *address = connection->next_address;

		connection->next_address = address->ai_next;
		connection->fd = rl_socket_connect(address);
		if (connection->fd >= 0) {
			connection->state = RL_STATE_CONNECTING;
			return RL_PENDING;
		}
		reason = errno;
	}
	return rl_connection_fail(connection, strerror(reason));
}

static rl_progress go_on_resolving(rl_connection *connection)
{
	rl_error error;

	if (!rl_resolver_take(connection->resolver, &connection->addresses, &error)) {
		return RL_PENDING;
	}
	connection->resolver = NULL;
	if (connection->addresses == NULL) {
		return rl_connection_fail(connection, error.message);
	}
	connection->next_address = connection->addresses;
	return connect_next(connection, EADDRNOTAVAIL);
}

static bool queue_login(rl_connection *connection)
{
	const rl_endpoint *endpoint = connection->endpoint;
	rl_command command;

	if (endpoint->password != NULL) {
		rl_command_init_plain(&command, "AUTH");
		if (endpoint->user != NULL) {
			rl_command_add(&command, rl_slice_text(endpoint->user));
		}
		rl_command_add(&command, rl_slice_make(endpoint->password, endpoint->password_length));
		if (!rl_command_write(&command, RL_BY_TEXT, &connection->out)) {
			return false;
		}
		connection->login_replies++;
	}
	if (endpoint->database != 0) {
		rl_command_init_plain(&command, "SELECT");
		rl_command_add_number(&command, endpoint->database);
		if (!rl_command_write(&command, RL_BY_TEXT, &connection->out)) {
			return false;
		}
		connection->login_replies++;
	}
	if (connection->login_replies == 0 && connection->tls != NULL && rl_tls_may_be_refused(connection->tls)) {
		/* A refusal must come before a command of ours is sent, or its outcome would be uncertain. */
		rl_command_init_plain(&command, "PING");
		if (!rl_command_write(&command, RL_BY_TEXT, &connection->out)) {
			return false;
		}
		connection->login_replies++;
		connection->login_pings = true;
	}
	connection->login_size = connection->login_unsent = connection->out.length;
	return true;
}

static rl_progress become_ready(rl_connection *connection)
{
	connection->state = RL_STATE_READY;
	connection->login_size = 0;
	/*
	 * Not on a unix socket: there the kernel wakes a reader that sleeps also when the server has read the command, and
	 * that costs more than poll(), which it wakes only for what it asked for.
	 */
	connection->receive_waits = connection->endpoint->kind == RL_ENDPOINT_TCP
		&& rl_socket_let_receive_wait(connection->fd);
	if (connection->addresses != NULL) {
		freeaddrinfo(connection->addresses);
		connection->addresses = connection->next_address = NULL;
	}
	return RL_READY;
}

static rl_progress begin_login(rl_connection *connection)
{
	if (!queue_login(connection)) {
		return rl_connection_fail(connection, "out of memory");
	}
	connection->state = RL_STATE_LOGGING_IN;
	return RL_READY;
}

static rl_progress go_on_connecting(rl_connection *connection)
{
	int problem = rl_socket_check(connection->fd);

	if (problem == EINPROGRESS) {
		return RL_PENDING;
	}
	if (problem != 0) {
		return connect_next(connection, problem);
	}
	if (connection->endpoint->kind == RL_ENDPOINT_TLS) {
		connection->tls = rl_tls_start(connection->fd, connection->endpoint, &connection->error);
		if (connection->tls == NULL) {
			connection->state = RL_STATE_FAILED;
			return RL_FAILED;
		}
		connection->state = RL_STATE_HANDSHAKING;
		return RL_READY;
	}
	return begin_login(connection);
}

static rl_progress go_on_handshaking(rl_connection *connection)
{
	rl_tls_progress progress = rl_tls_handshake(connection->tls);

	if (progress == RL_TLS_FAILED) {
		return rl_connection_fail(connection, "TLS handshake");
	}
	connection->tls_wants_write = progress == RL_TLS_WANTS_WRITE;
	return progress == RL_TLS_DONE ? begin_login(connection) : RL_PENDING;
}

static rl_progress go_on_logging_in(rl_connection *connection)
{
	while (connection->login_replies > 0) {
		const rl_reply *reply;
		rl_progress progress = rl_connection_next_reply(connection, &reply);

		if (progress != RL_READY) {
			return progress;
		}
		if (reply->type == RL_REPLY_ERROR && !connection->login_pings) {
			rl_slice text = rl_reply_text(reply, &reply->root);

			rl_error_set_reply(&connection->error, connection->endpoint->display, text.data, text.length);
			connection->state = RL_STATE_FAILED;
			return RL_FAILED;
		}
		connection->login_replies--;
	}
	return become_ready(connection);
}

rl_progress rl_connection_advance(rl_connection *connection)
{
	for (;;) {
		rl_progress progress = RL_READY;

		switch (connection->state) {
			case RL_STATE_RESOLVING:
				progress = go_on_resolving(connection);
				break;
			case RL_STATE_CONNECTING:
				progress = go_on_connecting(connection);
				break;
			case RL_STATE_HANDSHAKING:
				progress = go_on_handshaking(connection);
				break;
			case RL_STATE_LOGGING_IN:
				progress = rl_connection_flush(connection);
				/* Commands that lie behind the log-in may take their time. */
				if (progress == RL_READY || (progress == RL_PENDING && connection->login_unsent == 0)) {
					progress = go_on_logging_in(connection);
				}
				break;
			case RL_STATE_READY:
				return connection->out.length > 0 ? rl_connection_flush(connection) : RL_READY;
			case RL_STATE_FAILED:
				return RL_FAILED;
		}
		if (progress != RL_READY) {
			return progress;
		}
	}
}
