/*
 * How a call ended, and what to tell the user about it. The only place that decides which PHP exception a status
 * becomes is src/exceptions.c.
 */
#ifndef RL_STATUS_H
#define RL_STATUS_H

#include "rl_platform.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum rl_status {
	RL_OK = 0,
	RL_NO,            /* a clear negative: held by somebody else, or not ours */
	RL_CONNECTION,    /* Redis could not be reached; nothing was sent */
	RL_UNCERTAIN,     /* sent, and the outcome stayed unknown */
	RL_SERVER,        /* Redis answered with an error; rl_error.code is its first word */
	RL_QUORUM,        /* fewer than a majority of the nodes answered; rl_client.nodes has each one's error */
	RL_LOST,          /* the answer came when the lease was already over */
	RL_INTERRUPTED,   /* the caller's interrupt hook asked to stop; it has set its own exception */
	RL_SYSTEM,        /* no memory */
	RL_INVALID        /* an argument or a setting cannot be used; nothing was sent */
} rl_status;

enum { RL_ERROR_CODE_SIZE = 32, RL_ERROR_MESSAGE_SIZE = 512 };

/* The message never holds a password or a token. Both strings are always terminated and printable. */
typedef struct rl_error {
	rl_status status;
	char code[RL_ERROR_CODE_SIZE];
	char message[RL_ERROR_MESSAGE_SIZE];
} rl_error;

/* Fills the error (format as in printf, cut to size, unprintable bytes become '?') and returns status. */
rl_status rl_error_set(rl_error *error, rl_status status, const char *format, ...)
	RL_PRINTF(3, 4);

/*
 * Fills the error from an error reply of the server ("CODE text"), prefixed by where it came from.
 * text need not be terminated. Returns RL_SERVER.
 */
rl_status rl_error_set_reply(rl_error *error, const char *where, const char *text, size_t length);

/* True for the error of a server that has no room for one more client. */
bool rl_error_is_full(const rl_error *error);

/* True for a server error that passes: the server starts, fails over, or is full of clients. */
bool rl_error_is_transient(const rl_error *error);

#endif
