/*
 * Where a Redis server is and how to log in: a parsed DSN.
 *
 *   redis://[[user]:password@]host[:port][/db][?options]     host may be an IPv6 address in brackets
 *   rediss://...                                              the same over TLS
 *   unix://[[user]:password@]/path.sock[?options]
 *
 * Options: db, connect_timeout and timeout (seconds); with rediss:// also cafile, capath, cert, key, peer_name and
 * verify_peer (0 or 1). Every part is percent-decoded.
 */
#ifndef RL_ENDPOINT_H
#define RL_ENDPOINT_H

#include "rl_buffer.h"
#include "rl_status.h"

#include <stdint.h>

typedef enum rl_endpoint_kind {
	RL_ENDPOINT_TCP,
	RL_ENDPOINT_TLS,
	RL_ENDPOINT_UNIX
} rl_endpoint_kind;

/* Strings that were not given are NULL, times that were not given are -1. */
typedef struct rl_endpoint {
	int references;
	rl_endpoint_kind kind;
	char *host;                   /* or the path of the socket; an IPv6 address without brackets */
	int port;
	int database;
	char *user;
	char *password;               /* any bytes */
	size_t password_length;
	int64_t connect_timeout_us;
	int64_t timeout_us;
	char *cafile;
	char *capath;
	char *cert;
	char *key;
	char *peer_name;
	bool verify_peer;
	bool persistent;               /* set by its client: connections outlive the request */
	bool cannot_block;            /* the server refused BLPOP: waiting is polling */
	bool cannot_unblock;          /* the server refused CLIENT: who stops waiting hangs up */
	int64_t unreachable_until;    /* by rl_runtime.now(): a connect failed just before */
	int64_t silent_until;         /* by rl_runtime.now(): it left releases unanswered for too long */
	char *display;                /* for people: "redis://user:***@host:port/db" */
	char *identity;               /* equal for endpoints whose connections are interchangeable; holds the password! */
	char *address;                /* "host:port" or the path: which server it is, whoever logs in */
} rl_endpoint;

/* The most a timeout can be, in seconds. */
#define RL_ENDPOINT_MAX_TIMEOUT 3600.0

/*
 * Parses a DSN. The caller gives the result back with rl_endpoint_release().
 * NULL: error says what is wrong and what is allowed (RL_INVALID, RL_SYSTEM), without any part of the user info.
 */
rl_endpoint *rl_endpoint_parse(const char *dsn, size_t length, rl_error *error);

/* Fills display, identity and address from the rest, as the last step of making an endpoint. False: no memory. */
bool rl_endpoint_describe(rl_endpoint *endpoint);

/* What to add to a message that says that no connection came about. */
const char *rl_endpoint_hint(const rl_endpoint *endpoint);

/* One more user of the endpoint, in the same thread. Returns it. */
rl_endpoint *rl_endpoint_retain(rl_endpoint *endpoint);

/* One user less; the last one frees it. NULL is allowed. */
void rl_endpoint_release(rl_endpoint *endpoint);

#endif
