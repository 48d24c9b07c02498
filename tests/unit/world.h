/*
 * A world for the core under test: its clock, its randomness, its network and a Redis server, all of them obedient to
 * the test. Time passes only while the core waits, so a test of ten minutes takes no time and always ends the same.
 *
 * What the network does to each connect and each command is planned by the test; unplanned ones succeed.
 */
#ifndef WORLD_H
#define WORLD_H

#include "model.h"

#include "rl_lock.h"

#define WORLD_NEVER INT64_C(1000000000000000)

/* What becomes of one command. */
typedef enum world_fate {
	WORLD_ANSWERED,     /* runs after travel_us, the answer needs answer_us more */
	WORLD_SILENT,       /* runs after travel_us, no answer ever comes */
	WORLD_BROKEN,       /* runs after travel_us; the connection breaks answer_us after the send */
	WORLD_STUCK,        /* its bytes never leave in whole, so no server runs it */
	WORLD_CUT,          /* the same, and the connection breaks answer_us after the send */
	WORLD_NO_MEMORY     /* rl_transport.send fails */
} world_fate;

typedef struct world_plan {
	world_fate fate;
	int64_t travel_us;
	int64_t answer_us;
	const char *reply;      /* bytes to answer with; NULL: what the server says */
	size_t reply_length;    /* 0: strlen(reply) */
	bool run_too;           /* with a reply: the server runs the command all the same */
} world_plan;

typedef enum world_connect_fate {
	WORLD_CONNECTED,
	WORLD_REFUSED,
	WORLD_HANGING,
	WORLD_LOGIN_REFUSED,        /* WRONGPASS */
	WORLD_NO_CONNECTION         /* rl_transport.take fails: no memory */
} world_connect_fate;

typedef struct world_connect_plan {
	world_connect_fate fate;
	int64_t delay_us;
} world_connect_plan;

/* A command as it was handed to the transport. */
typedef struct world_sent {
	int64_t at;
	int server;
	int connection;             /* counted from 0 */
	int process;
	model_command command;
	char *memory;
} world_sent;

enum { WORLD_PLANS = 64, WORLD_SERVERS = 5, WORLD_ACTS = 16 };

typedef struct world_connection world_connection;
typedef struct world_delivery world_delivery;

typedef struct world {
	int64_t now;
	int process;
	uint64_t dice;
	bool random_fails;
	rl_runtime runtime;
	rl_client client;
	rl_error error;

	/* Plans in the order of use; when there is none left the functions are asked, when there is none all goes well. */
	world_plan plans[WORLD_PLANS];
	int plan_first, plan_count;
	world_connect_plan connects[WORLD_PLANS];
	int connect_first, connect_count;
	void (*plan)(struct world *world, const world_sent *sent, world_plan *plan);
	void (*plan_connect)(struct world *world, int server, world_connect_plan *plan);
	void *context;

	/* Signals: one at each of these moments, 0: none. interrupted: what the hook does and says. */
	int64_t signal_at;
	int64_t signal_every_us;
	bool (*interrupted)(struct world *world);
	int interruptions;
	int64_t last_interruption;

	model servers[WORLD_SERVERS];
	model *server;                       /* the first one */
	int64_t ahead_us[WORLD_SERVERS];     /* a server's clock less the world's */
	int64_t wall_ahead_us;               /* this machine's wall clock less the world's */
	rl_node nodes[WORLD_SERVERS];

	world_sent *sent;
	int sent_count;
	int sent_capacity;

	world_connection *connections;   /* the newest first */
	int connection_count;            /* ever made */
	world_delivery *deliveries;      /* in the order of delivery */
	struct {
		int64_t at;
		void (*act)(struct world *world);
	} acts[WORLD_ACTS];
	int act_first, act_count;
	int waits_in_vain;
} world;

void world_begin(world *world, uint64_t seed);
void world_end(world *world);

/* From now on world.client is a quorum of so many servers, all of them new. */
void world_make_quorum(world *world, int count);

/* Plans one more send, one more connect. */
void world_will(world *world, world_plan plan);
void world_will_connect(world *world, world_connect_plan plan);

/* Has something happen at a moment from now: what others do, or a fault. To be given in order of the moments. */
void world_at(world *world, int64_t from_now, void (*act)(struct world *world));

/* Lets time pass, and the network and the server do what is due. */
void world_pass(world *world, int64_t microseconds);

/* Closes all connections that are not in use from the server's side, as a restart does. */
void world_close_idle(world *world);

/* Closes also those that are in use. */
void world_close_all(world *world);

/* How many connections are in a state. */
typedef enum world_use { WORLD_BUSY, WORLD_IDLE, WORLD_PARKED, WORLD_DROPPED } world_use;
int world_count(const world *world, world_use use);

/* A server with its clock set. */
model *world_server(world *world, int server);

/* The first server's view of a lock, after what is over has expired. */
model_key *world_look(world *world, const rl_keys *keys);
bool world_holds(world *world, const rl_keys *keys, rl_slice token);

/* Numbers from the world's own source of randomness: 0 to below. */
uint64_t world_random(world *world, uint64_t below);

/* Whether a command is that script. */
bool world_is(const world_sent *sent, rl_script_id id);

#endif
