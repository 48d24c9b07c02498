#include "world.h"

#include <stdio.h>
#include <stdlib.h>

/* What is on its way to us on one connection. */
typedef struct arrival {
	struct arrival *next;
	int64_t at;
	bool broken;
	char *data;
	size_t length;
} arrival;

struct world_connection {
	world_connection *next;
	world *world;
	int number;
	int server;
	const rl_endpoint *endpoint;
	int process;
	world_use use;
	world_connect_plan connect;
	int64_t ready_at;
	bool ready;
	bool failed;
	rl_error error;
	rl_reply_reader *reader;
	arrival *arrivals;
	int outstanding;
	int disowned;
	int64_t opened_at;
	int64_t owing_since;
	char run_id[RL_RUN_ID_SIZE];
	unsigned known_scripts;
	int64_t client_id;          /* known from the beginning: the number at the server, and one */
	uint64_t queued;
	uint64_t sent;              /* marks that left in whole */
	int64_t last_delivery;
	int64_t last_arrival;
	int64_t wake_us;            /* how long the answer to a BLPOP is on its way */
};

/* What is on its way to the server. */
struct world_delivery {
	world_delivery *next;
	int64_t at;
	world_connection *connection;
	int sent;                   /* index in world.sent; -1: the end of the stream */
	world_plan plan;
};

static void expect(bool condition, const char *what)
{
	if (!condition) {
		model_failure(what);
	}
}

uint64_t world_random(world *world, uint64_t below)
{
	/* splitmix64 */
	uint64_t z = world->dice += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return z % below;
}

bool world_is(const world_sent *sent, rl_script_id id)
{
	return model_is(&sent->command, id);
}

model *world_server(world *world, int server)
{
	world->servers[server].time_us = INT64_C(1700000000000000) + world->now + world->ahead_us[server];
	return &world->servers[server];
}

model_key *world_look(world *world, const rl_keys *keys)
{
	return model_find(world_server(world, 0), keys->lock);
}

bool world_holds(world *world, const rl_keys *keys, rl_slice token)
{
	return model_holds(world_server(world, 0), keys->lock, token);
}

/* ------------------------------------------------------------------------------------------------- the network */

static void add_arrival(world_connection *connection, int64_t at, bool broken, const char *data, size_t length)
{
	arrival *added = calloc(1, sizeof(*added));
	arrival **link = &connection->arrivals;

	if (connection->use == WORLD_DROPPED) {
		free(added);
		return;
	}
	connection->last_arrival = at > connection->last_arrival ? at : connection->last_arrival;
	added->at = connection->last_arrival;
	added->broken = broken;
	if (data != NULL) {
		added->data = malloc(length + 1);
		memcpy(added->data, data, length);
		added->length = length;
	}
	while (*link != NULL) {
		link = &(*link)->next;
	}
	*link = added;
}

/* The answer to a command, or what the server has to say later to a client in BLPOP. */
static void answer_later(void *context, int client, const char *answer, size_t length)
{
	world *world = context;

	for (world_connection *each = world->connections; each != NULL; each = each->next) {
		if (each->number == client) {
			add_arrival(each, world->now + each->wake_us, false, answer, length);
		}
	}
}

static void deliver(world *world, world_delivery *delivery)
{
	const world_plan *plan = &delivery->plan;
	char answer[1024];
	size_t length = 0;

	if (delivery->sent < 0) {
		model_forget_client(world_server(world, delivery->connection->server), delivery->connection->number);
		add_arrival(delivery->connection, delivery->at, true, NULL, 0);
		return;
	}
	if (plan->reply == NULL || plan->run_too) {
		delivery->connection->wake_us = plan->fate == WORLD_ANSWERED ? plan->answer_us : WORLD_NEVER;
		length = model_run(world_server(world, delivery->connection->server), delivery->connection->number,
			&world->sent[delivery->sent].command, answer, sizeof(answer));
	}
	if (plan->fate != WORLD_ANSWERED) {
		return;
	}
	if (plan->reply != NULL) {
		add_arrival(delivery->connection, delivery->at + plan->answer_us, false, plan->reply,
			plan->reply_length > 0 ? plan->reply_length : strlen(plan->reply));
	} else if (length > 0) {
		add_arrival(delivery->connection, delivery->at + plan->answer_us, false, answer, length);
	}
}

/* When something happens without us; WORLD_NEVER: nothing does. */
static int64_t next_delivery(world *world)
{
	int64_t next = world->deliveries == NULL ? WORLD_NEVER : world->deliveries->at;

	for (int i = 0; i < WORLD_SERVERS; i++) {
		const model *server = world_server(world, i);
		int64_t timeout = model_next_timeout(server);

		if (timeout != INT64_MAX && timeout - (server->time_us - world->now) < next) {
			next = timeout - (server->time_us - world->now);
		}
	}
	if (world->act_first < world->act_count && world->acts[world->act_first].at < next) {
		next = world->acts[world->act_first].at;
	}
	return next;
}

static void advance(world *world, int64_t to)
{
	int64_t next;

	while ((next = next_delivery(world)) <= to) {
		world_delivery *first = world->deliveries;

		world->now = next > world->now ? next : world->now;
		if (world->act_first < world->act_count && world->acts[world->act_first].at <= world->now) {
			world->acts[world->act_first++].act(world);
		} else if (first != NULL && first->at <= world->now) {
			world->deliveries = first->next;
			deliver(world, first);
			free(first);
		} else {
			for (int i = 0; i < WORLD_SERVERS; i++) {
				model_time_out(world_server(world, i));
			}
		}
	}
	world->now = to > world->now ? to : world->now;
}

void world_pass(world *world, int64_t microseconds)
{
	advance(world, world->now + microseconds);
}

static void remember(world *world, world_connection *connection, const rl_command *command, rl_form form)
{
	world_sent *sent;
	size_t size = 1;
	char *to;

	if (world->sent_count == world->sent_capacity) {
		world->sent_capacity = world->sent_capacity == 0 ? 64 : 2 * world->sent_capacity;
		world->sent = realloc(world->sent, (size_t) world->sent_capacity * sizeof(*world->sent));
	}
	sent = &world->sent[world->sent_count++];
	*sent = (world_sent) {
		.at = world->now,
		.server = connection->server,
		.connection = connection->number,
		.process = world->process,
		.command = {
			.script = command->script,
			.form = form,
			.key_count = command->key_count,
			.argument_count = command->argument_count
		}
	};
	for (int i = 0; i < command->key_count; i++) {
		size += command->keys[i].length;
	}
	for (int i = 0; i < command->argument_count; i++) {
		size += command->arguments[i].length;
	}
	to = sent->memory = malloc(size);
	for (int i = 0; i < command->key_count; i++) {
		memcpy(to, command->keys[i].data, command->keys[i].length);
		sent->command.keys[i] = rl_slice_make(to, command->keys[i].length);
		to += command->keys[i].length;
	}
	for (int i = 0; i < command->argument_count; i++) {
		memcpy(to, command->arguments[i].data, command->arguments[i].length);
		sent->command.arguments[i] = rl_slice_make(to, command->arguments[i].length);
		to += command->arguments[i].length;
	}
}

/* In order on each connection, and after what is delivered at the same moment. */
static void add_delivery(world_connection *connection, int64_t at, int sent, const world_plan *plan)
{
	world_delivery **link = &connection->world->deliveries;
	world_delivery *added;

	if (at > connection->last_delivery) {
		connection->last_delivery = at;
	}
	if (connection->last_delivery >= WORLD_NEVER) {
		return;
	}
	added = calloc(1, sizeof(*added));
	added->at = connection->last_delivery;
	added->connection = connection;
	added->sent = sent;
	if (plan != NULL) {
		added->plan = *plan;
	}
	while (*link != NULL && (*link)->at <= added->at) {
		link = &(*link)->next;
	}
	added->next = *link;
	*link = added;
}

static world_connection *cast(const rl_connection *connection)
{
	return (world_connection *) (uintptr_t) connection;
}

static uint64_t transport_send(rl_connection *opaque, const rl_command *command, rl_form form, int64_t moment)
{
	world_connection *connection = cast(opaque);
	world *world = connection->world;
	world_plan plan = {0};

	expect(connection->use == WORLD_BUSY, "a command is sent on a connection that is not in use");
	expect(connection->process == world->process, "a forked child sends on a connection of its parent");
	expect(connection->ready || connection->failed, "a command is sent before the connection is ready");
	remember(world, connection, command, form);
	if (world->plan_first < world->plan_count) {
		plan = world->plans[world->plan_first++];
	} else if (world->plan != NULL) {
		world->plan(world, &world->sent[world->sent_count - 1], &plan);
	}
	if (plan.fate == WORLD_NO_MEMORY) {
		return 0;
	}
	if (connection->outstanding++ == 0) {
		connection->owing_since = moment;
	}
	connection->queued++;
	if (plan.fate == WORLD_CUT || plan.fate == WORLD_BROKEN) {
		add_arrival(connection, world->now + plan.answer_us, true, NULL, 0);
	}
	/* What comes after bytes that did not leave does not leave either. */
	if (plan.fate == WORLD_CUT || plan.fate == WORLD_STUCK || connection->failed
			|| connection->sent + 1 < connection->queued) {
		return connection->queued;
	}
	connection->sent = connection->queued;
	add_delivery(connection, world->now + plan.travel_us, world->sent_count - 1, &plan);
	return connection->queued;
}

static bool transport_has_sent(const rl_connection *opaque, uint64_t mark)
{
	return cast(opaque)->sent >= mark;
}

static rl_progress fail(world_connection *connection, rl_status status, const char *what)
{
	rl_error_set(&connection->error, status, "%s: %s", connection->endpoint->display, what);
	connection->failed = true;
	return RL_FAILED;
}

/* Takes what has arrived; RL_READY: more bytes are in the reader. */
static rl_progress take_arrival(world_connection *connection)
{
	arrival *first = connection->arrivals;
	bool fine;

	if (first == NULL || first->at > connection->world->now) {
		return RL_PENDING;
	}
	if (first->broken) {
		return fail(connection, RL_CONNECTION, "the connection broke");
	}
	fine = rl_reply_reader_feed(connection->reader, first->data, first->length);
	connection->arrivals = first->next;
	free(first->data);
	free(first);
	return fine ? RL_READY : fail(connection, RL_SERVER, "the reply is too large");
}

static rl_progress next_reply(world_connection *connection, const rl_reply **reply)
{
	for (;;) {
		rl_progress progress;

		switch (rl_reply_reader_next(connection->reader, reply)) {
			case RL_REPLY_COMPLETE:
				return RL_READY;
			case RL_REPLY_REFUSED:
				return fail(connection, RL_SERVER, "the reply is not valid");
			case RL_REPLY_INCOMPLETE:
				break;
		}
		progress = take_arrival(connection);
		if (progress != RL_READY) {
			return progress;
		}
	}
}

static rl_progress go_on_connecting(world_connection *connection)
{
	if (connection->connect.fate == WORLD_HANGING || connection->world->now < connection->ready_at) {
		return RL_PENDING;
	}
	if (connection->connect.fate == WORLD_REFUSED) {
		return fail(connection, RL_CONNECTION, "Connection refused");
	}
	if (connection->connect.fate == WORLD_LOGIN_REFUSED) {
		rl_error_set_reply(&connection->error, connection->endpoint->display,
			"WRONGPASS invalid username-password pair", 40);
		connection->failed = true;
		return RL_FAILED;
	}
	connection->ready = true;
	return RL_PENDING;
}

static rl_progress transport_receive(rl_connection *opaque, const rl_reply **reply)
{
	world_connection *connection = cast(opaque);

	expect(connection->use != WORLD_DROPPED, "a connection is used after it was closed");
	if (!connection->failed && !connection->ready) {
		go_on_connecting(connection);
	}
	if (connection->failed) {
		return RL_FAILED;
	}
	while (connection->outstanding > 0) {
		rl_progress progress = next_reply(connection, reply);

		if (progress != RL_READY) {
			return progress;
		}
		if (--connection->outstanding == 0) {
			connection->owing_since = 0;
		}
		if (connection->disowned == 0) {
			return RL_READY;
		}
		if ((*reply)->type == RL_REPLY_ERROR) {
			connection->known_scripts = 0;
		} else if (connection->run_id[0] == '\0' && (*reply)->type == RL_REPLY_STRING) {
			rl_run_id_read(rl_reply_text(*reply, &(*reply)->root), connection->run_id);
		}
		connection->disowned--;
	}
	return RL_PENDING;
}

static void transport_disown_replies(rl_connection *opaque)
{
	cast(opaque)->disowned = cast(opaque)->outstanding;
}

static int64_t *transport_client_id(rl_connection *opaque)
{
	return &cast(opaque)->client_id;
}

static char *transport_run_id(rl_connection *opaque)
{
	return cast(opaque)->run_id;
}

static unsigned *transport_known_scripts(rl_connection *opaque)
{
	return &cast(opaque)->known_scripts;
}

static int transport_outstanding(const rl_connection *opaque)
{
	return cast(opaque)->outstanding;
}

static int64_t transport_opened_at(const rl_connection *opaque)
{
	return cast(opaque)->opened_at;
}

static int64_t transport_owing_since(const rl_connection *opaque)
{
	return cast(opaque)->owing_since;
}

static bool transport_is_ready(const rl_connection *opaque)
{
	return cast(opaque)->ready && !cast(opaque)->failed;
}

/* Nothing is sent here before the log-in is done, and no server forgets what it has received. */
static bool transport_can_send(const rl_connection *opaque)
{
	return transport_is_ready(opaque);
}

static bool transport_has_room(const rl_connection *opaque, const rl_command *command)
{
	(void) opaque;
	(void) command;
	return true;
}

static const rl_error *transport_error(const rl_connection *opaque)
{
	expect(cast(opaque)->use == WORLD_BUSY, "the error of a connection is asked for that is not in use");
	expect(cast(opaque)->failed, "the error of a connection is asked for that has not failed");
	return &cast(opaque)->error;
}

static void free_arrivals(world_connection *connection)
{
	while (connection->arrivals != NULL) {
		arrival *first = connection->arrivals;

		connection->arrivals = first->next;
		free(first->data);
		free(first);
	}
}

static void transport_hang_up(rl_connection *opaque)
{
	expect(cast(opaque)->use == WORLD_BUSY, "a connection is hung up that is not in use");
	expect(cast(opaque)->process == cast(opaque)->world->process, "a forked child hangs up a connection of its parent");
	add_delivery(cast(opaque), cast(opaque)->world->now, -1, NULL);
}

static void close_connection(world_connection *connection)
{
	connection->use = WORLD_DROPPED;
	free_arrivals(connection);
	/* A forked child closes only its copy of the descriptor. */
	if (connection->process == connection->world->process) {
		add_delivery(connection, connection->world->now, -1, NULL);
	}
}

/* What the pool does: an idle connection that the server has closed or that holds stray bytes is not used. */
static bool is_usable(world_connection *connection)
{
	const rl_reply *reply;

	if (transport_receive((rl_connection *) connection, &reply) != RL_PENDING || connection->failed) {
		return false;
	}
	return connection->outstanding > 0
		|| (!rl_reply_reader_has_bytes(connection->reader)
			&& (connection->arrivals == NULL || connection->arrivals->at > connection->world->now));
}

static void tend_parked(world *world)
{
	for (world_connection *each = world->connections; each != NULL; each = each->next) {
		const rl_reply *reply;

		if (each->use == WORLD_PARKED && (transport_receive((rl_connection *) each, &reply) == RL_FAILED
				|| each->outstanding == 0)) {
			close_connection(each);
		}
	}
}

static int find_server(const world *world, const rl_endpoint *endpoint)
{
	for (int i = 0; i < world->client.node_count; i++) {
		if (world->nodes[i].endpoint == endpoint) {
			return i;
		}
	}
	expect(endpoint == world->client.endpoint, "a connection to an unknown server is asked for");
	return 0;
}

static rl_connection *transport_take(void *context, rl_endpoint *endpoint, bool fresh)
{
	world *world = context;
	int server = find_server(world, endpoint);
	world_connect_plan plan = {0};
	world_connection *added;

	for (world_connection *each = world->connections; each != NULL; each = each->next) {
		if (each->process != world->process && each->use != WORLD_DROPPED) {
			close_connection(each);
		}
	}
	tend_parked(world);
	for (world_connection *each = world->connections; !fresh && each != NULL; each = each->next) {
		if (each->use == WORLD_IDLE && each->server == server) {
			if (is_usable(each)) {
				each->use = WORLD_BUSY;
				return (rl_connection *) each;
			}
			close_connection(each);
		}
	}
	if (world->connect_first < world->connect_count) {
		plan = world->connects[world->connect_first++];
	} else if (world->plan_connect != NULL) {
		world->plan_connect(world, server, &plan);
	}
	if (plan.fate == WORLD_NO_CONNECTION) {
		return NULL;
	}
	added = calloc(1, sizeof(*added));
	added->world = world;
	added->number = world->connection_count++;
	added->client_id = added->number + 1;
	added->server = server;
	added->endpoint = endpoint;
	added->opened_at = world->now;
	added->process = world->process;
	added->use = WORLD_BUSY;
	added->connect = plan;
	added->ready_at = world->now + plan.delay_us;
	added->reader = rl_reply_reader_new();
	added->next = world->connections;
	world->connections = added;
	return (rl_connection *) added;
}

static void transport_give(void *context, rl_connection *opaque)
{
	world_connection *connection = cast(opaque);

	(void) context;
	expect(connection->use == WORLD_BUSY, "a connection is given back that is not in use");
	expect(connection->process == connection->world->process, "a forked child keeps a connection of its parent");
	expect(connection->outstanding == connection->disowned, "a connection is given back with replies that are wanted");
	connection->use = WORLD_IDLE;
}

static void transport_park(void *context, rl_connection *opaque)
{
	world_connection *connection = cast(opaque);

	(void) context;
	expect(connection->use == WORLD_BUSY, "a connection is parked that is not in use");
	expect(connection->process == connection->world->process, "a forked child parks a connection of its parent");
	transport_disown_replies(opaque);
	connection->use = WORLD_PARKED;
}

static void transport_drop(void *context, rl_connection *opaque)
{
	world_connection *connection = cast(opaque);

	(void) context;
	/* After a fork the pool of the child may have closed it already. */
	expect(connection->use == WORLD_BUSY || connection->process != connection->world->process,
		"a connection is dropped that is not in use");
	close_connection(connection);
}

void world_close_idle(world *world)
{
	for (world_connection *each = world->connections; each != NULL; each = each->next) {
		if (each->use == WORLD_IDLE || each->use == WORLD_PARKED) {
			add_arrival(each, world->now, true, NULL, 0);
		}
	}
}

void world_close_all(world *world)
{
	world_close_idle(world);
	for (world_connection *each = world->connections; each != NULL; each = each->next) {
		if (each->use == WORLD_BUSY) {
			add_arrival(each, world->now, true, NULL, 0);
		}
	}
}

int world_count(const world *world, world_use use)
{
	int count = 0;

	for (const world_connection *each = world->connections; each != NULL; each = each->next) {
		count += each->use == use;
	}
	return count;
}

/* When a connection can go on; WORLD_NEVER: nothing is under way that would let it. */
static int64_t next_event(const world_connection *connection)
{
	if (connection->failed) {
		return 0;
	}
	if (!connection->ready) {
		return connection->connect.fate == WORLD_HANGING ? WORLD_NEVER : connection->ready_at;
	}
	return connection->arrivals == NULL ? WORLD_NEVER : connection->arrivals->at;
}

static int64_t next_arrival(rl_connection *const *connections, int count)
{
	int64_t next = WORLD_NEVER;

	for (int i = 0; i < count; i++) {
		int64_t event = next_event(cast(connections[i]));

		expect(cast(connections[i])->use == WORLD_BUSY, "a connection is waited for that is not in use");
		next = event < next ? event : next;
	}
	return next;
}

/* A wait is handed no context of its own, so there is one world at a time. */
static world *present;

static bool transport_wait(rl_connection *const *connections, int count, int64_t moment, int64_t until)
{
	(void) moment;
	world *world = present;
	int64_t began = world->now;

	for (;;) {
		int64_t next = next_arrival(connections, count);
		bool signal = world->signal_at > 0 && world->signal_at <= until && world->signal_at <= next;
		int64_t goal = signal ? world->signal_at : next < until ? next : until;

		/* A delivery can bring an arrival that is earlier than all we know of. */
		if (next > world->now && next_delivery(world) <= goal) {
			advance(world, next_delivery(world));
			continue;
		}
		advance(world, goal);
		world->waits_in_vain = world->now > began ? 0 : world->waits_in_vain + 1;
		expect(world->waits_in_vain < 10000, "the core spins: it waits and no time passes");
		if (signal) {
			world->signal_at = world->signal_every_us > 0 ? world->now + world->signal_every_us : 0;
		}
		return !signal;
	}
}

/* --------------------------------------------------------------------------------------------------- the runtime */

static int64_t runtime_now(void *context)
{
	return ((world *) context)->now;
}

static int64_t runtime_wall(void *context)
{
	world *world = context;

	return INT64_C(1700000000000000) + world->now + world->wall_ahead_us;
}

static int runtime_process(void *context)
{
	return ((world *) context)->process;
}

static bool runtime_random(void *context, void *bytes, size_t length)
{
	world *world = context;

	if (world->random_fails) {
		return false;
	}
	for (size_t i = 0; i < length; i++) {
		((unsigned char *) bytes)[i] = (unsigned char) world_random(world, 256);
	}
	return true;
}

static bool runtime_interrupted(void *context)
{
	world *world = context;

	world->interruptions++;
	world->last_interruption = world->now;
	return world->interrupted != NULL && world->interrupted(world);
}

static const rl_transport transport = {
	.take = transport_take,
	.give = transport_give,
	.park = transport_park,
	.drop = transport_drop,
	.send = transport_send,
	.has_sent = transport_has_sent,
	.receive = transport_receive,
	.disown_replies = transport_disown_replies,
	.hang_up = transport_hang_up,
	.run_id = transport_run_id,
	.known_scripts = transport_known_scripts,
	.client_id = transport_client_id,
	.outstanding = transport_outstanding,
	.opened_at = transport_opened_at,
	.owing_since = transport_owing_since,
	.is_ready = transport_is_ready,
	.can_send = transport_can_send,
	.has_room = transport_has_room,
	.error = transport_error,
	.wait = transport_wait
};

void world_begin(world *world, uint64_t seed)
{
	*world = (struct world) {
		.now = INT64_C(5000000000),
		.process = 100,
		.dice = seed
	};
	world->runtime = (rl_runtime) {
		.context = world,
		.now = runtime_now,
		.wall = runtime_wall,
		.process = runtime_process,
		.random = runtime_random,
		.interrupted = runtime_interrupted,
		.transport = &transport,
		.connections = world
	};
	world->client = (rl_client) {
		.runtime = &world->runtime,
		.endpoint = rl_endpoint_parse("unix:///model.sock", 18, &world->error),
		.prefix = rl_slice_text("redislock:"),
		.connect_timeout_us = RL_US_PER_S,
		.timeout_us = RL_US_PER_S,
		.retry_for_us = 10 * RL_US_PER_S,
		.retention_ms = 604800000
	};
	world->server = &world->servers[0];
	for (int i = 0; i < WORLD_SERVERS; i++) {
		model_begin(&world->servers[i], i + 1);
		world->servers[i].answer = answer_later;
		world->servers[i].context = world;
	}
	present = world;
}

void world_make_quorum(world *world, int count)
{
	expect(count <= WORLD_SERVERS, "too many servers");
	for (int i = 0; i < count; i++) {
		char dsn[32];

		snprintf(dsn, sizeof(dsn), "redis://node%d", i + 1);
		world->nodes[i].endpoint = rl_endpoint_parse(dsn, strlen(dsn), &world->error);
	}
	rl_endpoint_release(world->client.endpoint);
	world->client.endpoint = world->nodes[0].endpoint;
	world->client.nodes = world->nodes;
	world->client.node_count = count;
	world->client.quorum_max_ttl_ms = 60000;
}

void world_end(world *world)
{
	while (world->deliveries != NULL) {
		world_delivery *first = world->deliveries;

		world->deliveries = first->next;
		free(first);
	}
	while (world->connections != NULL) {
		world_connection *first = world->connections;

		world->connections = first->next;
		free_arrivals(first);
		rl_reply_reader_free(first->reader);
		free(first);
	}
	for (int i = 0; i < world->sent_count; i++) {
		free(world->sent[i].memory);
	}
	free(world->sent);
	if (world->client.node_count == 0) {
		rl_endpoint_release(world->client.endpoint);
	}
	for (int i = 0; i < world->client.node_count; i++) {
		rl_endpoint_release(world->nodes[i].endpoint);
	}
	*world = (struct world) {0};
}

void world_will(world *world, world_plan plan)
{
	expect(world->plan_count < WORLD_PLANS, "too many plans");
	world->plans[world->plan_count++] = plan;
}

void world_at(world *world, int64_t from_now, void (*act)(struct world *world))
{
	expect(world->act_count < WORLD_ACTS, "too many acts");
	expect(world->act_first == world->act_count || world->acts[world->act_count - 1].at <= world->now + from_now,
		"the acts are not in order");
	world->acts[world->act_count].at = world->now + from_now;
	world->acts[world->act_count++].act = act;
}

void world_will_connect(world *world, world_connect_plan plan)
{
	expect(world->connect_count < WORLD_PLANS, "too many plans");
	world->connects[world->connect_count++] = plan;
}
