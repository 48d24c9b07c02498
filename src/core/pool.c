#include "rl_pool.h"

#include "rl_clock.h"
#include "rl_process.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* The most that closing waits for replies, all connections together. A server that is there needs far less. */
	SETTLE_US = 200 * RL_US_PER_MS,
	SETTLE_AT_ONCE = 32,
	/*
	 * The most replies that nobody waits for on one connection. So many locks can be given back at once, by objects that
	 * are destroyed together, before a server that is well gets to run.
	 */
	MAX_OWED = 256
};

typedef enum use {
	USE_BUSY,
	USE_IDLE,
	USE_PARKED
} use;

typedef struct entry {
	struct entry *next;   /* the most recently used one first */
	rl_connection *connection;
	use use;
} entry;

struct rl_pool {
	entry *first;
	int process;
	rl_stats *stats;
	int broken;           /* connections that were, and in whose place none was opened yet */
};

rl_pool *rl_pool_new(void)
{
	rl_pool *pool = calloc(1, sizeof(*pool));

	if (pool != NULL) {
		pool->process = rl_process_id();
	}
	return pool;
}

void rl_pool_count_in(rl_pool *pool, rl_stats *stats)
{
	pool->stats = stats;
}

/* Takes *link out of the list and closes its connection. */
static void remove_entry(entry **link)
{
	entry *gone = *link;

	*link = gone->next;
	rl_connection_close(gone->connection);
	free(gone);
}

static entry **find(rl_pool *pool, const rl_connection *connection)
{
	entry **link = &pool->first;

	while (*link != NULL && (*link)->connection != connection) {
		link = &(*link)->next;
	}
	return link;
}

static void move_to_front(rl_pool *pool, entry **link)
{
	entry *moved = *link;

	*link = moved->next;
	moved->next = pool->first;
	pool->first = moved;
}

static void remove_all(rl_pool *pool)
{
	while (pool->first != NULL) {
		remove_entry(&pool->first);
	}
}

static bool owes_replies(const entry *each)
{
	return rl_connection_outstanding(each->connection) > 0 && rl_connection_can_send(each->connection);
}

/*
 * Reads the replies to commands that nobody waited for. A connection that is closed while replies arrive is reset, and
 * the server then throws away what it has not read yet: a release among it would be lost.
 */
static void settle(rl_pool *pool, bool persistent_too)
{
	int64_t until = rl_clock_now() + SETTLE_US;

	for (;;) {
		rl_connection *waiting[SETTLE_AT_ONCE];
		const rl_reply *reply;
		int64_t moment;
		int count = 0;

		for (const entry *each = pool->first; each != NULL && count < SETTLE_AT_ONCE; each = each->next) {
			if (owes_replies(each) && (persistent_too || !rl_connection_endpoint(each->connection)->persistent)) {
				waiting[count++] = each->connection;
			}
		}
		moment = rl_clock_now();
		if (count == 0 || moment >= until) {
			return;
		}
		rl_connection_wait(waiting, count, moment, until);
		for (int i = 0; i < count; i++) {
			rl_connection_receive(waiting[i], &reply);
		}
	}
}

void rl_pool_free(rl_pool *pool)
{
	if (pool != NULL) {
		if (pool->process == rl_process_id()) {
			settle(pool, true);
		}
		remove_all(pool);
		free(pool);
	}
}

int rl_pool_count(const rl_pool *pool)
{
	int count = 0;

	for (const entry *each = pool->first; each != NULL; each = each->next) {
		count++;
	}
	return count;
}

void rl_pool_end_request(rl_pool *pool)
{
	entry **link = &pool->first;

	if (pool->process == rl_process_id()) {
		settle(pool, false);
	}
	while (*link != NULL) {
		bool persistent = rl_connection_endpoint((*link)->connection)->persistent;

		if ((*link)->use == USE_BUSY || ((*link)->use == USE_IDLE && !persistent)) {
			remove_entry(link);
		} else {
			link = &(*link)->next;
		}
	}
}

/* Closes all but the first `most` entries of a use: the list is ordered by time, so the oldest ones go. */
static void limit(rl_pool *pool, use use, int most)
{
	entry **link = &pool->first;

	while (*link != NULL) {
		if ((*link)->use == use && most-- <= 0) {
			remove_entry(link);
		} else {
			link = &(*link)->next;
		}
	}
}

/* Reads what has come for the parked connections, and closes those that owe nothing any more. */
static void tend_parked(rl_pool *pool)
{
	entry **link = &pool->first;

	while (*link != NULL) {
		const rl_reply *reply;

		if ((*link)->use == USE_PARKED
				&& (rl_connection_receive((*link)->connection, &reply) == RL_FAILED
					|| rl_connection_outstanding((*link)->connection) == 0)) {
			remove_entry(link);
		} else {
			link = &(*link)->next;
		}
	}
}

static bool same_endpoint(const rl_endpoint *a, const rl_endpoint *b)
{
	return a == b || (a->persistent == b->persistent && strcmp(a->identity, b->identity) == 0);
}

/* fresh: the caller's last connection was of no use to it. */
static void count_opened(rl_pool *pool, bool fresh)
{
	rl_stats_count_wire(pool->stats, RL_COUNT_CONNECTIONS);
	if (fresh || pool->broken > 0) {
		rl_stats_count_wire(pool->stats, RL_COUNT_RECONNECTS);
	}
	if (pool->broken > 0) {
		pool->broken--;
	}
}

static rl_connection *take(void *context, rl_endpoint *endpoint, bool fresh)
{
	rl_pool *pool = context;
	entry **link = &pool->first;
	entry *added;

	if (pool->process != rl_process_id()) {
		remove_all(pool);
		pool->process = rl_process_id();
	}
	tend_parked(pool);
	while (!fresh && *link != NULL) {
		if ((*link)->use != USE_IDLE || !same_endpoint(rl_connection_endpoint((*link)->connection), endpoint)) {
			link = &(*link)->next;
		} else if (!rl_connection_is_usable((*link)->connection)) {
			pool->broken++;
			remove_entry(link);
		} else if (rl_connection_outstanding((*link)->connection) >= MAX_OWED) {
			/* A server that hangs must not gather commands without end. */
			(*link)->use = USE_PARKED;
			limit(pool, USE_PARKED, RL_POOL_MAX_PARKED);
			link = &pool->first;
		} else {
			(*link)->use = USE_BUSY;
			return (*link)->connection;
		}
	}
	added = malloc(sizeof(*added));
	if (added == NULL) {
		return NULL;
	}
	added->connection = rl_connection_open(endpoint);
	if (added->connection == NULL) {
		free(added);
		return NULL;
	}
	added->use = USE_BUSY;
	added->next = pool->first;
	pool->first = added;
	count_opened(pool, fresh);
	return added->connection;
}

/* In a forked child the entry of a connection that was in use at the fork may be gone already. */
static void set_use(rl_pool *pool, rl_connection *connection, use use, int most)
{
	entry **link = find(pool, connection);

	if (*link != NULL) {
		(*link)->use = use;
		move_to_front(pool, link);
		limit(pool, use, most);
	}
}

static void give(void *context, rl_connection *connection)
{
	set_use(context, connection, USE_IDLE, RL_POOL_MAX_IDLE);
}

static void park(void *context, rl_connection *connection)
{
	rl_stats_count_wire(((rl_pool *) context)->stats, RL_COUNT_PARKED);
	rl_connection_disown_replies(connection);
	set_use(context, connection, USE_PARKED, RL_POOL_MAX_PARKED);
}

static void drop(void *context, rl_connection *connection)
{
	rl_pool *pool = context;
	entry **link = find(pool, connection);

	if (*link != NULL) {
		pool->broken += !rl_connection_is_ready(connection);
		remove_entry(link);
	}
}

const rl_transport rl_pool_transport = {
	.take = take,
	.give = give,
	.park = park,
	.drop = drop,
	.send = rl_connection_send,
	.has_sent = rl_connection_has_sent,
	.receive = rl_connection_receive,
	.disown_replies = rl_connection_disown_replies,
	.hang_up = rl_connection_hang_up,
	.is_ready = rl_connection_is_ready,
	.can_send = rl_connection_can_send,
	.has_room = rl_connection_has_room,
	.error = rl_connection_error,
	.run_id = rl_connection_run_id,
	.known_scripts = rl_connection_known_scripts,
	.client_id = rl_connection_client_id,
	.outstanding = rl_connection_outstanding,
	.opened_at = rl_connection_opened_at,
	.owing_since = rl_connection_owing_since,
	.wait = rl_connection_wait,
};
