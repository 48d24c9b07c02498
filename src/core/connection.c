#include "rl_connection.h"

#include "rl_clock.h"
#include "rl_resolver.h"
#include "rl_socket.h"
#include "rl_tls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum state {
	STATE_RESOLVING,
	STATE_CONNECTING,
	STATE_HANDSHAKING,
	STATE_LOGGING_IN,
	STATE_READY,
	STATE_FAILED
} state;

enum {
	/* As many connections as one call ever watches: the nodes of a quorum, twice. */
	WAIT_MAX = 64,
	READ_SIZE = 16 * 1024,
	/* What Redis and Valkey read at a time (PROTO_IOBUF_LEN). */
	SERVER_READ_SIZE = 16 * 1024
};

struct rl_connection {
	rl_endpoint *endpoint;
	state state;
	int fd;
	rl_resolver *resolver;
	struct addrinfo *addresses;        /* all of them, and the next one to try */
	struct addrinfo *next_address;
	rl_tls *tls;
	bool tls_wants_write;
	bool receive_waits;                /* reading can wait for what is to be read */
	rl_reply_reader *reader;
	rl_buffer out;                     /* for the wire */
	bool heard;                        /* the server has sent at least a byte */
	int write_problem;                 /* errno of a write that failed; what the server said before may still come */
	size_t login_unsent;               /* bytes of out that belong to the log-in */
	size_t login_size;                 /* bytes of a log-in that is not answered */
	uint64_t commands_queued;          /* bytes of commands ever given */
	uint64_t commands_sent;            /* and written */
	uint64_t quiet_at;                 /* as many of them when no reply was outstanding last */
	int login_replies;                 /* replies to AUTH and SELECT, or to PING, that are outstanding */
	bool login_pings;                  /* to PING: any reply will do */
	int outstanding;                   /* replies to commands that are outstanding */
	int disowned;                      /* the first of them, which nobody wants */
	int64_t opened_at;
	int64_t owing_since;               /* 0: no reply is outstanding */
	char run_id[RL_RUN_ID_SIZE];
	unsigned known_scripts;
	int64_t client_id;
	rl_error error;
};

/* A server for TLS hangs up on everything else, and its own words would be no help. */
static bool seems_to_want_tls(const rl_connection *connection)
{
	return connection->endpoint->kind == RL_ENDPOINT_TCP && connection->state >= STATE_LOGGING_IN && !connection->heard;
}

static rl_progress fail(rl_connection *connection, const char *what)
{
	char detail[256];

	if (connection->tls != NULL && rl_tls_explain(connection->tls, detail, sizeof(detail))) {
		what = detail;
	}
	rl_error_set(&connection->error, RL_CONNECTION, "%s: %s%s", connection->endpoint->display, what,
		seems_to_want_tls(connection) ? " (it never said a word: is it a server for rediss://?)" : "");
	connection->state = STATE_FAILED;
	return RL_FAILED;
}

/* The server answered, but with something whose end cannot be told. */
static rl_progress refuse(rl_connection *connection, const char *what)
{
	fail(connection, what);
	connection->error.status = RL_SERVER;
	return RL_FAILED;
}

static void close_socket(rl_connection *connection)
{
	rl_tls_free(connection->tls);
	connection->tls = NULL;
	if (connection->fd >= 0) {
		rl_socket_close(connection->fd);
		connection->fd = -1;
	}
}

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
	connection->state = STATE_CONNECTING;
	if (endpoint->kind == RL_ENDPOINT_UNIX) {
		connection->fd = rl_socket_connect_unix(endpoint->host);
		if (connection->fd < 0) {
			fail(connection, strerror(errno));
		}
		return connection;
	}
	connection->state = STATE_RESOLVING;
	connection->resolver = rl_resolver_start(endpoint->host, endpoint->port, &connection->error);
	if (connection->resolver == NULL) {
		connection->state = STATE_FAILED;
	}
	return connection;
}

void rl_connection_close(rl_connection *connection)
{
	close_socket(connection);
	rl_resolver_abandon(connection->resolver);
	if (connection->addresses != NULL) {
		freeaddrinfo(connection->addresses);
	}
	rl_reply_reader_free(connection->reader);
	rl_buffer_free(&connection->out);
	rl_endpoint_release(connection->endpoint);
	free(connection);
}

rl_endpoint *rl_connection_endpoint(const rl_connection *connection)
{
	return connection->endpoint;
}

/* Tries the addresses in turn, until a connect begins. */
static rl_progress connect_next(rl_connection *connection, int reason)
{
	close_socket(connection);
	while (connection->next_address != NULL) {
		const struct addrinfo *address = connection->next_address;

		connection->next_address = address->ai_next;
		connection->fd = rl_socket_connect(address);
		if (connection->fd >= 0) {
			connection->state = STATE_CONNECTING;
			return RL_PENDING;
		}
		reason = errno;
	}
	return fail(connection, strerror(reason));
}

static rl_progress go_on_resolving(rl_connection *connection)
{
	rl_error error;

	if (!rl_resolver_take(connection->resolver, &connection->addresses, &error)) {
		return RL_PENDING;
	}
	connection->resolver = NULL;
	if (connection->addresses == NULL) {
		return fail(connection, error.message);
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
	connection->state = STATE_READY;
	connection->login_size = 0;
	if (connection->addresses != NULL) {
		freeaddrinfo(connection->addresses);
		connection->addresses = connection->next_address = NULL;
	}
	return RL_READY;
}

static rl_progress begin_login(rl_connection *connection)
{
	if (!queue_login(connection)) {
		return fail(connection, "out of memory");
	}
	connection->state = STATE_LOGGING_IN;
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
			connection->state = STATE_FAILED;
			return RL_FAILED;
		}
		connection->state = STATE_HANDSHAKING;
		return RL_READY;
	}
	return begin_login(connection);
}

static rl_progress go_on_handshaking(rl_connection *connection)
{
	rl_tls_progress progress = rl_tls_handshake(connection->tls);

	if (progress == RL_TLS_FAILED) {
		return fail(connection, "TLS handshake");
	}
	connection->tls_wants_write = progress == RL_TLS_WANTS_WRITE;
	return progress == RL_TLS_DONE ? begin_login(connection) : RL_PENDING;
}

static rl_progress flush(rl_connection *connection)
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

uint64_t rl_connection_send(rl_connection *connection, const rl_command *command, rl_form form)
{
	size_t before = connection->out.length;

	if (!rl_command_write(command, form, &connection->out)) {
		return 0;
	}
	if (connection->outstanding++ == 0) {
		connection->owing_since = rl_clock_now();
		connection->quiet_at = connection->commands_queued;
	}
	connection->commands_queued += connection->out.length - before;
	/* What goes wrong here shows in the next receive. */
	flush(connection);
	return connection->commands_queued;
}

bool rl_connection_has_sent(const rl_connection *connection, uint64_t mark)
{
	return connection->commands_sent >= mark;
}

/* Takes what a read has got, or why it got nothing (errno). RL_READY: something was read. */
static rl_progress feed(rl_connection *connection, const char *bytes, ssize_t got)
{
	if (got <= 0 && connection->write_problem != 0) {
		return fail(connection, strerror(connection->write_problem));
	}
	if (got == 0) {
		return fail(connection, "the server closed the connection");
	}
	if (got < 0) {
		return errno == EAGAIN || errno == EINTR ? RL_PENDING : fail(connection, strerror(errno));
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

/* The next reply of the stream, whoever it is for. */
static rl_progress next_reply(rl_connection *connection, const rl_reply **reply)
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

static rl_progress go_on_logging_in(rl_connection *connection)
{
	while (connection->login_replies > 0) {
		const rl_reply *reply;
		rl_progress progress = next_reply(connection, &reply);

		if (progress != RL_READY) {
			return progress;
		}
		if (reply->type == RL_REPLY_ERROR && !connection->login_pings) {
			rl_slice text = rl_reply_text(reply, &reply->root);

			rl_error_set_reply(&connection->error, connection->endpoint->display, text.data, text.length);
			connection->state = STATE_FAILED;
			return RL_FAILED;
		}
		connection->login_replies--;
	}
	return become_ready(connection);
}

/* Connects and logs in, as far as it goes now. RL_READY: commands can be sent. */
static rl_progress advance(rl_connection *connection)
{
	for (;;) {
		rl_progress progress = RL_READY;

		switch (connection->state) {
			case STATE_RESOLVING:
				progress = go_on_resolving(connection);
				break;
			case STATE_CONNECTING:
				progress = go_on_connecting(connection);
				break;
			case STATE_HANDSHAKING:
				progress = go_on_handshaking(connection);
				break;
			case STATE_LOGGING_IN:
				progress = flush(connection);
				/* Commands that lie behind the log-in may take their time. */
				if (progress == RL_READY || (progress == RL_PENDING && connection->login_unsent == 0)) {
					progress = go_on_logging_in(connection);
				}
				break;
			case STATE_READY:
				return connection->out.length > 0 ? flush(connection) : RL_READY;
			case STATE_FAILED:
				return RL_FAILED;
		}
		if (progress != RL_READY) {
			return progress;
		}
	}
}

rl_progress rl_connection_receive(rl_connection *connection, const rl_reply **reply)
{
	rl_progress progress = advance(connection);

	/* A command that is only partly written may have its answer already: full of clients, protocol error. */
	if (progress == RL_FAILED || connection->state != STATE_READY) {
		return progress == RL_FAILED ? RL_FAILED : RL_PENDING;
	}
	while (connection->outstanding > 0) {
		progress = next_reply(connection, reply);
		if (progress != RL_READY) {
			return progress;
		}
		if (--connection->outstanding == 0) {
			connection->owing_since = 0;
		}
		if (connection->disowned == 0) {
			return RL_READY;
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
	return connection->state == STATE_READY;
}

bool rl_connection_can_send(const rl_connection *connection)
{
	return connection->state == STATE_READY
		|| (connection->state == STATE_LOGGING_IN && connection->login_unsent == 0);
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
	if (connection->state < STATE_READY) {
		return advance(connection) != RL_FAILED;
	}
	if (connection->state == STATE_FAILED || rl_reply_reader_has_bytes(connection->reader)) {
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
		case STATE_RESOLVING:
			descriptor->fd = rl_resolver_descriptor(connection->resolver);
			descriptor->events = POLLIN;
			break;
		case STATE_CONNECTING:
			descriptor->fd = connection->fd;
			descriptor->events = POLLOUT;
			break;
		case STATE_HANDSHAKING:
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
	return connection->state == STATE_FAILED
		|| (connection->state == STATE_RESOLVING && rl_resolver_descriptor(connection->resolver) < 0);
}

/* Waits for the answer to a command by reading it, without a poll() before. False: a signal. */
static bool wait_by_reading(rl_connection *connection)
{
	char bytes[READ_SIZE];
	ssize_t got = rl_socket_wait_and_receive(connection->fd, bytes, sizeof(bytes));
	bool signal = got < 0 && errno == EINTR;

	/* What it has read, or why it failed, is for the next receive. */
	feed(connection, bytes, got);
	return !signal;
}

bool rl_connection_wait(rl_connection *const *connections, int count, int64_t until)
{
	struct pollfd descriptors[WAIT_MAX];
	int timeout = rl_clock_poll_ms(rl_clock_now(), until, 60 * 1000);

	if (count == 1 && connections[0]->state == STATE_READY && connections[0]->receive_waits
			&& connections[0]->out.length == 0 && timeout >= RL_SOCKET_WAIT_MS) {
		return wait_by_reading(connections[0]);
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
