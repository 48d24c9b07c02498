#include "rl_connection_private.h"

#include "rl_clock.h"

#include <errno.h>
#include <stdlib.h>

enum {
	/* As many connections as one call ever watches: the nodes of a quorum, twice. */
	WAIT_MAX = 64,
	/* What Redis and Valkey read at a time (PROTO_IOBUF_LEN). */
	SERVER_READ_SIZE = 16 * 1024
};

rl_connection *rl_connection_open(rl_endpoint *endpoint)
{
	rl_connection *connection = calloc(1, sizeof(*connection));

	if (connection == NULL) {
		return NULL;
	}
	connection->reader = rl_reply_reader_new();
	if (connection->reader == NULL) {
		free(connection);
		return NULL;
	}
	connection->endpoint = rl_endpoint_retain(endpoint);
	connection->opened_at = rl_clock_now();
	connection->fd = -1;
	rl_connection_begin(connection);
	return connection;
}

void rl_connection_close(rl_connection *connection)
{
	rl_connection_close_socket(connection);
	rl_resolver_abandon(connection->resolver);
	if (connection->addresses != NULL) {
		freeaddrinfo(connection->addresses);
	}
	rl_reply_reader_free(connection->reader);
	if (connection->login_unsent > 0) {
		/* It holds the password. */
		rl_wipe(connection->out.data, connection->out.capacity);
	}
	rl_buffer_free(&connection->out);
	rl_endpoint_release(connection->endpoint);
	free(connection);
}

rl_endpoint *rl_connection_endpoint(const rl_connection *connection)
{
	return connection->endpoint;
}

uint64_t rl_connection_send(rl_connection *connection, const rl_command *command, rl_form form, int64_t moment)
{
	size_t before = connection->out.length;

	if (!rl_command_write(command, form, &connection->out)) {
		return 0;
	}
	if (connection->outstanding++ == 0) {
		connection->owing_since = moment;
		connection->quiet_at = connection->commands_queued;
	}
	connection->commands_queued += connection->out.length - before;
	/* What goes wrong here shows in the next receive. */
	rl_connection_flush(connection);
	return connection->commands_queued;
}

bool rl_connection_has_sent(const rl_connection *connection, uint64_t mark)
{
	return connection->commands_sent >= mark;
}

rl_progress rl_connection_receive(rl_connection *connection, const rl_reply **reply)
{
	rl_progress progress = rl_connection_advance(connection);

	/* A command that is only partly written may have its answer already: full of clients, protocol error. */
	if (progress == RL_FAILED || connection->state != RL_STATE_READY) {
		return progress == RL_FAILED ? RL_FAILED : RL_PENDING;
	}
	while (connection->outstanding > 0) {
		progress = rl_connection_next_reply(connection, reply);
		if (progress != RL_READY) {
			return progress;
		}
		if (--connection->outstanding == 0) {
			connection->owing_since = 0;
		}
		if (connection->disowned == 0) {
			/* A server that had hung up before it got the command can only have said why. */
			return connection->write_problem == 0 || (*reply)->type == RL_REPLY_ERROR ? RL_READY
				: rl_connection_fail(connection, strerror(connection->write_problem));
		}
		if (connection->run_id[0] == '\0' && (*reply)->type == RL_REPLY_STRING) {
			rl_run_id_read(rl_reply_text(*reply, &(*reply)->root), connection->run_id);
		}
		if ((*reply)->type == RL_REPLY_ERROR) {
			connection->known_scripts = 0;
		}
		connection->disowned--;
	}
	return RL_PENDING;
}

void rl_connection_disown_replies(rl_connection *connection)
{
	connection->disowned = connection->outstanding;
}

void rl_connection_hang_up(rl_connection *connection)
{
	if (connection->fd >= 0) {
		rl_socket_hang_up(connection->fd);
	}
}

bool rl_run_id_read(rl_slice info, char *run_id)
{
	static const char field[] = "run_id:";
	const size_t digits = RL_RUN_ID_SIZE - 1;

	for (size_t i = 0; i + sizeof(field) - 1 + digits <= info.length; i++) {
		if (memcmp(info.data + i, field, sizeof(field) - 1) == 0) {
			memcpy(run_id, info.data + i + sizeof(field) - 1, digits);
			run_id[digits] = '\0';
			if (strspn(run_id, "0123456789abcdef") == digits) {
				return true;
			}
			run_id[0] = '\0';
		}
	}
	return false;
}

char *rl_connection_run_id(rl_connection *connection)
{
	return connection->run_id;
}

unsigned *rl_connection_known_scripts(rl_connection *connection)
{
	return &connection->known_scripts;
}

int64_t *rl_connection_client_id(rl_connection *connection)
{
	return &connection->client_id;
}

int64_t rl_connection_opened_at(const rl_connection *connection)
{
	return connection->opened_at;
}

int64_t rl_connection_owing_since(const rl_connection *connection)
{
	return connection->owing_since;
}

int rl_connection_outstanding(const rl_connection *connection)
{
	return connection->outstanding;
}

bool rl_connection_is_ready(const rl_connection *connection)
{
	return connection->state == RL_STATE_READY;
}

bool rl_connection_can_send(const rl_connection *connection)
{
	return connection->state == RL_STATE_READY
		|| (connection->state == RL_STATE_LOGGING_IN && connection->login_unsent == 0);
}

bool rl_connection_has_room(const rl_connection *connection, const rl_command *command)
{
	uint64_t unanswered = connection->commands_queued - connection->quiet_at;

	return connection->outstanding == 0
		|| connection->login_size + unanswered + rl_command_most_bytes(command) <= SERVER_READ_SIZE;
}

bool rl_connection_is_usable(rl_connection *connection)
{
	const rl_reply *reply;
	char byte;
	ssize_t got;

	if (connection->outstanding > 0 && rl_connection_receive(connection, &reply) != RL_PENDING) {
		return false;
	}
	if (connection->outstanding > 0) {
		return true;
	}
	if (connection->state < RL_STATE_READY) {
		return rl_connection_advance(connection) != RL_FAILED;
	}
	if (connection->state == RL_STATE_FAILED || rl_reply_reader_has_bytes(connection->reader)) {
		return false;
	}
	/* TLS has records of its own on the wire, so only a real read can tell. */
	got = connection->tls != NULL ? rl_tls_read(connection->tls, &byte, 1) : rl_socket_peek(connection->fd, &byte, 1);
	return got < 0 && (errno == EAGAIN || errno == EINTR);
}

const rl_error *rl_connection_error(const rl_connection *connection)
{
	return &connection->error;
}

static void watch(const rl_connection *connection, struct pollfd *descriptor)
{
	switch (connection->state) {
		case RL_STATE_RESOLVING:
			descriptor->fd = rl_resolver_descriptor(connection->resolver);
			descriptor->events = POLLIN;
			break;
		case RL_STATE_CONNECTING:
			descriptor->fd = connection->fd;
			descriptor->events = POLLOUT;
			break;
		case RL_STATE_HANDSHAKING:
			descriptor->fd = connection->fd;
			descriptor->events = connection->tls_wants_write ? POLLOUT : POLLIN;
			break;
		default:
			descriptor->fd = connection->fd;
			descriptor->events = POLLIN;
			if (connection->out.length > 0) {
				descriptor->events |= POLLOUT;
			}
	}
}

/* Something that no descriptor will announce. */
static bool can_go_on_at_once(const rl_connection *connection)
{
	return connection->state == RL_STATE_FAILED
		|| (connection->state == RL_STATE_RESOLVING && rl_resolver_descriptor(connection->resolver) < 0);
}

bool rl_connection_wait(rl_connection *const *connections, int count, int64_t moment, int64_t until)
{
	struct pollfd descriptors[WAIT_MAX];
	int timeout = rl_clock_poll_ms(moment, until, 60 * 1000);

	if (count == 1 && connections[0]->state == RL_STATE_READY && connections[0]->receive_waits
			&& connections[0]->out.length == 0 && timeout >= RL_SOCKET_WAIT_MS) {
		return rl_connection_wait_by_reading(connections[0]);
	}
	if (count > WAIT_MAX) {
		count = WAIT_MAX;
	}
	for (int i = 0; i < count; i++) {
		if (can_go_on_at_once(connections[i])) {
			return true;
		}
		watch(connections[i], &descriptors[i]);
	}
	return rl_socket_poll(descriptors, count, timeout) >= 0 || errno != EINTR;
}
