/*
 * A simulated process that uses the core: its clocks, its process id, its signals, its connections, and the operation
 * it is at. It can be stopped, for a while or for ever, wherever the core calls the system.
 */
#ifndef PROCESS_H
#define PROCESS_H

#include "fiber.h"
#include "wire.h"
#include "store.h"

#include "rl_lock.h"
#include "rl_pool.h"

enum {
	PROCESS_TOKENS = 8192,
	PROCESS_OPERATIONS = 512
};

typedef enum operation_kind {
	OPERATION_NONE,
	OPERATION_ACQUIRE,
	OPERATION_ATTACH,
	OPERATION_RENEW,
	OPERATION_RELEASE,
	OPERATION_ABANDON,
	OPERATION_TOKEN_RELEASE,
	OPERATION_TOKEN_RENEW,
	OPERATION_INSPECT,
	OPERATION_INITIALIZE
} operation_kind;

/* One call of the core. Numbered through the schedule. */
typedef struct operation {
	operation_kind kind;
	int client;
	int of;                  /* RELEASE, RENEW: the operation that acquired what it is about; -1: none */
	bool over;
	bool forked;             /* it is the child of who began it */
	rl_status status;
	int64_t started;         /* sim_now */
	int64_t wait_us;
	bool ran;                /* a script of it had its effect on a node */
	bool released;           /* one of them gave the lock back */
	int not_ours;            /* nodes that said the token does not hold the lock, although it does */
} operation;

/* A token that the core asked randomness for. */
typedef struct token_record {
	int operation;
	bool owned;              /* an acquisition with it was completed */
} token_record;

typedef struct process process;

struct process {
	int id;
	fiber *fiber;
	bool begun;
	bool ends;               /* its program is over; it only closes its connections */
	bool finished;
	bool dead;
	int64_t dead_time;       /* the clock of a dead one, which only has to get to its end */
	int pid;
	/* Clocks. */
	int64_t clock_base;
	int64_t rate;            /* by how many millionths its clock runs fast */
	int64_t wall_offset;
	/* Waiting. */
	bool in_poll;
	int watched[64];         /* wires */
	int watched_count;
	uint32_t wake;           /* counts the planned ends of its waits: older ones are void */
	int64_t wake_at;
	int spins;               /* calls of poll() since it last had to wait */
	/* Signals and pauses. */
	bool signal;
	bool signal_throws;
	bool signal_forks;
	bool in_handler;
	void (*handler)(struct process *process);   /* what its signal handler does beside; NULL: nothing */
	int pause_in;            /* calls */
	int death_in;            /* calls; 0: never */
	bool paused;
	int64_t paused_us;       /* in all, by its own clock */
	/* The core. */
	rl_runtime runtime;
	rl_pool *pool;
	rl_client client;
	rl_node nodes[SIM_NODES];
	rl_lock lock;
	bool has_lock;
	rl_error error;
	/* The operation it is at. */
	int operation;           /* -1: none */
	int64_t operation_clock; /* when it began, by its own clock */
	int64_t operation_paused;
	int acquired_by;         /* the operation that acquired what the lock holds */
	token_record *tokens;    /* all that it made */
	int token_count;
	/* For the rules. */
	bool mixed;              /* which of its operations wrote which bytes is not always known */
	bool relies;             /* it believes that it holds the lock, and has not begun to give it up */
	bool superseded;         /* others have its token as well: what they do to the lock, it has to bear */
	char granted[RL_TOKEN_MAX_CHOSEN];   /* the token with which a node granted it the lock last */
	size_t granted_length;
	int64_t seen_valid_until;
	int64_t disturbed_until;
};

extern process process_all[SIM_CLIENTS];
extern operation operation_all[PROCESS_OPERATIONS];
extern int operation_count;

/* The one that is running now; NULL: none is. */
extern process *process_current;

void process_begin(int count);

/* Starts process i with that program. */
void process_start(int i, void (*program)(process *process));

/* Goes on with whoever is due. */
void process_event(const event *event);

/* Something came on a connection. */
void process_readable(wire *wire);

/* Whether all of them have come to their end. */
bool process_all_finished(void);

/* Ends the processes that are still running, without a word from them. */
void process_end_all(void);

/* From inside: sleeps, or dies. loud: the kernel closes its connections. */
void process_sleep(process *process, int64_t us);
void process_die(process *process, bool loud);

/* At every call of the system: here it can be stopped. */
void process_step(process *process);

int64_t process_clock(const process *process);
int64_t process_wall(const process *process);
/* When its clock will show that. */
int64_t process_when(const process *process, int64_t clock);

/* Which process made a token; NULL: none, it is a chosen one. number: which of its tokens it is. */
process *process_of_token(store_text token, int *number);

/* The key of the lock that all of them want, and that of the list on which they wait for it. */
store_text process_lock_key(void);
store_text process_wake_key(void);

/* Waiting in poll(). */
int process_poll(process *process, int timeout_ms);

#endif
