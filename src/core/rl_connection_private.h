/*
 * What the three files of a connection share, and nobody else: connection_io.c (bytes and replies), connecting.c (from
 * the look-up of the host name to the answer to the log-in) and connection.c (what rl_connection.h offers).
 */
#ifndef RL_CONNECTION_PRIVATE_H
#define RL_CONNECTION_PRIVATE_H

#include "rl_connection.h"
#include "rl_resolver.h"
#include "rl_socket.h"
#include "rl_tls.h"

/* How far it is. The order counts. */
typedef enum rl_connection_state {
	RL_STATE_RESOLVING,
	RL_STATE_CONNECTING,
	RL_STATE_HANDSHAKING,
	RL_STATE_LOGGING_IN,
	RL_STATE_READY,
	RL_STATE_FAILED
} rl_connection_state;

struct rl_connection {
	rl_endpoint *endpoint;
	rl_connection_state state;
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

/* Sets the error, and returns RL_FAILED. */
rl_progress rl_connection_fail(rl_connection *connection, const char *what);

/* Writes what is for the wire, as far as it goes now. RL_READY: all of it, or the next read says what went wrong. */
rl_progress rl_connection_flush(rl_connection *connection);

/* The next reply of the stream, whoever it is for. */
rl_progress rl_connection_next_reply(rl_connection *connection, const rl_reply **reply);

/* Waits for the answer to a command by reading it, without a poll() before. False: a signal. */
bool rl_connection_wait_by_reading(rl_connection *connection);

/* Begins to look up, or to connect. What goes wrong is in connection->error. */
void rl_connection_begin(rl_connection *connection);

/* Connects and logs in, as far as it goes now. RL_READY: commands can be sent. */
rl_progress rl_connection_advance(rl_connection *connection);

/* Closes the socket, if there is one, and what TLS keeps for it. */
void rl_connection_close_socket(rl_connection *connection);

#endif
