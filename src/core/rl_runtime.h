/*
 * What the core needs from the world, as functions that its user can replace: the unit tests, the fuzzers and the
 * simulation bring their own clock, randomness and servers.
 */
#ifndef RL_RUNTIME_H
#define RL_RUNTIME_H

#include "rl_connection.h"
#include "rl_stats.h"

/*
 * Connections to servers. `context` is rl_runtime.connections. The functions of rl_connection.h say what each must do.
 */
typedef struct rl_transport {
	/*
	 * A connection for the caller alone, in use from now on: an idle one that is usable, or a new one on its way.
	 * fresh: a new one in any case. Never blocks. NULL: no memory.
	 */
	rl_connection *(*take)(void *context, rl_endpoint *endpoint, bool fresh);
	/* Back to the idle ones. Replies that are outstanding must have been disowned. */
	void (*give)(void *context, rl_connection *connection);
	/* Keeps it unused until its outstanding replies have come or it is closed: see DESIGN, "parked". */
	void (*park)(void *context, rl_connection *connection);
	/* Closes it. */
	void (*drop)(void *context, rl_connection *connection);
	uint64_t (*send)(rl_connection *connection, const rl_command *command, rl_form form, int64_t moment);
	bool (*has_sent)(const rl_connection *connection, uint64_t mark);
	rl_progress (*receive)(rl_connection *connection, const rl_reply **reply);
	void (*disown_replies)(rl_connection *connection);
	/* Tells the server that nothing more will be sent; what it has sent can still be received. */
	void (*hang_up)(rl_connection *connection);
	bool (*is_ready)(const rl_connection *connection);
	bool (*can_send)(const rl_connection *connection);
	bool (*has_room)(const rl_connection *connection, const rl_command *command);
	const rl_error *(*error)(const rl_connection *connection);
	char *(*run_id)(rl_connection *connection);
	unsigned *(*known_scripts)(rl_connection *connection);
	int64_t *(*client_id)(rl_connection *connection);
	int (*outstanding)(const rl_connection *connection);
	int64_t (*opened_at)(const rl_connection *connection);
	int64_t (*owing_since)(const rl_connection *connection);
	bool (*wait)(rl_connection *const *connections, int count, int64_t moment, int64_t until);
} rl_transport;

typedef struct rl_runtime {
	void *context;                                              /* for the functions below */
	int64_t (*now)(void *context);                              /* rl_clock_now() */
	int64_t (*wall)(void *context);                             /* rl_clock_wall() */
	int (*process)(void *context);                              /* getpid(): tells a forked child from its parent */
	bool (*random)(void *context, void *bytes, size_t length);  /* unguessable; false: none to be had */
	/*
	 * Called when a signal arrived during a wait, and at least every 100 ms of one. May run code of the application,
	 * which may use other locks, and may fork. True: the call must end now.
	 */
	bool (*interrupted)(void *context);
	const rl_transport *transport;
	void *connections;
	/*
	 * Until when nobody connects for a release that nobody waits for, by now(): so that the locks of a process that ends
	 * do not wait one after the other for servers that are gone. May be NULL.
	 */
	int64_t *no_connecting_until;
	rl_stats *stats;                                            /* NULL: nothing is counted */
} rl_runtime;

static inline int64_t rl_runtime_now(const rl_runtime *runtime)
{
	return runtime->now(runtime->context);
}

static inline int rl_runtime_process(const rl_runtime *runtime)
{
	return runtime->process(runtime->context);
}

#endif
