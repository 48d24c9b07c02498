/*
 * A connection to one server that never blocks: it is looked up, connected, logged in and used in small steps, and who
 * uses it waits with rl_connection_wait(), for one or for many of them at once.
 */
#ifndef RL_CONNECTION_H
#define RL_CONNECTION_H

#include "rl_command.h"
#include "rl_endpoint.h"
#include "rl_reply.h"
#include "rl_status.h"

#include <stdint.h>

typedef struct rl_connection rl_connection;

enum { RL_RUN_ID_SIZE = 41 };

typedef enum rl_progress {
	RL_PENDING,   /* nothing yet: wait and try again */
	RL_READY,     /* a reply is there */
	RL_FAILED     /* unusable from now on: rl_connection_error() says why */
} rl_progress;

/* Begins to connect. NULL: no memory. What else goes wrong shows in the first rl_connection_receive(). */
rl_connection *rl_connection_open(rl_endpoint *endpoint);

/* Closes without a word to the server. */
void rl_connection_close(rl_connection *connection);

rl_endpoint *rl_connection_endpoint(const rl_connection *connection);

/*
 * Sends a command on a connection that is ready, or at least can send. The slices of the command are not needed afterwards.
 * moment: now by rl_clock_now(), or a little before. Returns a mark for rl_connection_has_sent(), 0 if there was no memory.
 */
uint64_t rl_connection_send(rl_connection *connection, const rl_command *command, rl_form form, int64_t moment);

/* Whether all bytes of the command with that mark were given to the kernel. Before that no server can run it. */
bool rl_connection_has_sent(const rl_connection *connection, uint64_t mark);

/*
 * Goes on with whatever the connection is at, as far as it gets without blocking, and takes the next reply that was
 * not disowned. An error reply is a reply. *reply stays valid until the next call on this connection.
 */
rl_progress rl_connection_receive(rl_connection *connection, const rl_reply **reply);

/* Nobody wants the replies that are outstanding: they will be read and dropped. */
void rl_connection_disown_replies(rl_connection *connection);

/* Tells the server that nothing more will be sent. What it has sent already can still be received. */
void rl_connection_hang_up(rl_connection *connection);

/*
 * Room for the run_id of the server on this connection, RL_RUN_ID_SIZE bytes, an empty string until somebody who asked
 * for it writes it there.
 */
char *rl_connection_run_id(rl_connection *connection);

/*
 * Finds the run_id in the answer to INFO server and writes it to run_id. False: there is none. A connection does this
 * itself with an answer that came when nobody waited for it any more.
 */
bool rl_run_id_read(rl_slice info, char *run_id);

/*
 * The scripts, a bit each, that were sent with their text on this connection: what comes behind on it can name them by
 * their hash. An error reply that nobody waited for clears all of them.
 */
unsigned *rl_connection_known_scripts(rl_connection *connection);

/* Room for the number that the server gave this connection, 0 until somebody who asked for it writes it there. */
int64_t *rl_connection_client_id(rl_connection *connection);

/* When it was opened, and since when a reply is outstanding (0: none is), by rl_clock_now(). */
int64_t rl_connection_opened_at(const rl_connection *connection);
int64_t rl_connection_owing_since(const rl_connection *connection);

/* How many replies are outstanding, wanted or not. */
int rl_connection_outstanding(const rl_connection *connection);

/* Whether connecting and logging in is done. */
bool rl_connection_is_ready(const rl_connection *connection);

/*
 * Whether a command can be written already, for an answer that nobody waits for: the log-in is on its way. A server that
 * refuses it will refuse the command, too.
 */
bool rl_connection_can_send(const rl_connection *connection);

/*
 * Whether this command and those before it that are not answered will be run also by a server that gets to them when we
 * are gone. It reads them piece by piece, and as it finds nobody to answer it forgets what it has not read; so they have
 * to fit in one piece.
 */
bool rl_connection_has_room(const rl_connection *connection, const rl_command *command);

/*
 * Whether an idle connection can be used: the server has not closed it and no byte is there that nobody asked for.
 * Replies that were disowned are read meanwhile. One that is still being connected can be used, too.
 */
bool rl_connection_is_usable(rl_connection *connection);

/* After RL_FAILED: RL_CONNECTION, or RL_SERVER if the server refused the log-in or sent what is no reply. */
const rl_error *rl_connection_error(const rl_connection *connection);

/*
 * Waits until one of the connections can go on, the moment `until` has come, or a signal arrived. moment: now by
 * rl_clock_now(), or a little before, which the caller mostly knows. False: a signal. count 0 just sleeps. It may end
 * sooner, with nothing to show for it: who waits looks, and waits again.
 */
bool rl_connection_wait(rl_connection *const *connections, int count, int64_t moment, int64_t until);

#endif
