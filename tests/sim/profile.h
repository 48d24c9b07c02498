/*
 * What kind of schedule this is: drawn from its seed before it begins. Everything is drawn in such a way that the short
 * and the long, the calm and the stormy come together in many different ways.
 */
#ifndef PROFILE_H
#define PROFILE_H

#include "sim.h"

typedef enum profile_fault {
	FAULT_SPIKE = 1,        /* a message is late, and what follows it on the connection with it */
	FAULT_STALL = 2,        /* the connection carries nothing any more, for a while or for ever */
	FAULT_CUT_BEFORE = 4,   /* the connection breaks before the last byte of a command arrived */
	FAULT_CUT_AFTER = 8,    /* the command arrived; the connection breaks before the last byte of the reply */
	FAULT_PARTIAL = 16,     /* the kernel takes only a part of the bytes */
	FAULT_CRASH = 32,       /* the node crashes as a message arrives: before it, after it, after its reply */
	FAULT_HANG = 64,        /* the node stops and goes on later */
	FAULT_PARTITION = 128,  /* client and node do not hear each other for a while */
	FAULT_FULL = 256,       /* the node has no memory to spare for a while */
	FAULT_CLOCK = 512       /* the node's clock is set; exclusion is not promised then, the order of fences is */
} profile_fault;

/* What a node knows when it comes back after a crash. */
typedef enum profile_memory {
	MEMORY_KEPT,
	MEMORY_OLD,             /* a snapshot from before */
	MEMORY_LOST,
	MEMORY_MIXED            /* each time another one of the three */
} profile_memory;

typedef struct profile {
	bool quorum;
	int nodes;
	int clients;
	int operations;             /* of each client, about */
	int64_t lease_ms[SIM_CLIENTS];
	int64_t most_lease_ms;
	int64_t quorum_max_ttl_ms;
	int64_t delay_least, delay_most;
	int64_t timeout_us, connect_timeout_us, retry_for_us;
	int64_t retention_ms;
	bool overloaded;            /* timeouts are in the order of the delays: nothing is promised about progress */
	/* Faults. */
	int faults;                 /* which kinds there are */
	int fault_every;            /* messages, on average */
	int fault_most;             /* in the whole schedule */
	profile_memory memory;
	bool lose_all;              /* all nodes lose their memory together */
	int pause_every;            /* calls, on average; 0: never */
	int64_t pause_most;
	int signals;                /* how many, 100 percent: one for each client */
	int signals_at_wake;        /* percent of the wake-ups that a signal comes with: the hardest moment to leave */
	int deaths;                 /* percent of the clients that die on the way */
	int forks;                  /* percent of the signals whose handler forks */
	bool clients_set_clocks;
	bool long_gap;              /* longer than the retention of fences */
	bool no_blpop;              /* the server refuses BLPOP */
	bool no_client;             /* the server refuses CLIENT */
	int most_connections;       /* of a node */
	bool chosen_tokens;
	bool attaches;
	bool waits;                 /* clients wait for each other for long */
	bool databases;             /* connections begin with SELECT */
	bool initialize;            /* the quorum is put into service by initializeQuorum() */
} profile;

extern profile sim_profile;

void profile_draw(bool quorum);

/* Prints it into the trace. */
void profile_trace(void);

#endif
