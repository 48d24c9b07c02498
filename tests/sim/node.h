/*
 * A simulated Redis server: connections, commands, clients blocked in BLPOP in the order in which they came, crashes,
 * hangs, and its own clock.
 */
#ifndef NODE_H
#define NODE_H

#include "wire.h"
#include "store.h"

#include "rl_command.h"

enum { NODE_BLOCKED = 64 };

/* Who has the lock key, as nobody but the simulation knows. */
typedef struct node_grant {
	int operation;             /* that was granted it; -1: nobody was */
	int64_t fence;             /* with that fence */
	int wire;                  /* on which its command came, and which one that was then */
	uint32_t wire_generation;
} node_grant;

typedef struct node {
	bool up;
	bool silent;               /* it is down, and nothing says so */
	bool hangs;
	uint32_t life;             /* counts its starts */
	store store;
	store snapshot;
	bool has_snapshot;
	int snapshot_in;           /* commands until the next snapshot */
	bool known[RL_SCRIPT_COUNT];
	char run_id[41];
	int64_t offset;            /* of its clock */
	int64_t rate;              /* by how many millionths its clock runs fast */
	int connections;
	int blocked[NODE_BLOCKED]; /* wires, the first one to come first */
	int blocked_count;
	int64_t lost_at;           /* when it last lost its memory, or a part of it; -1: never */
	node_grant grant;
} node;

extern node node_all[SIM_NODES];

void node_begin(int count);

/* Its clock, in microseconds since 1970. */
int64_t node_clock(const node *node);

/* When a moment of its clock, in milliseconds, is over. */
int64_t node_when_over(const node *node, int64_t ms);

/* The lock key; NULL: nobody has it. */
store_key *node_lock(node *node);

/* Called by the network. */
bool node_accept(wire *wire);
bool node_is_silent(int node);
void node_receive(wire *wire);
void node_block_is_over(wire *wire, uint32_t block);

/* node_failures.c: the fault that waits in wire->strike, if it is for that phase of its command. */
void node_strike(wire *wire, int phase);
void node_event(const event *event);

/* Everything that is down, hangs or is full works again. */
void node_heal_all(void);

/* Between the files of the node. */
int node_number(const node *node);
void node_start(node *node);
void node_close(node *node, wire *wire, wire_end how, bool silent);
/* Runs the commands that have arrived in whole. */
void node_process_input(wire *wire);

#endif
