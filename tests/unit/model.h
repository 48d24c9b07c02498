/*
 * A Redis server for the core under test: what src/lua and BLPOP do, in C and on a clock of the test's. That the
 * scripts themselves do this is for the PHPT suite to show.
 */
#ifndef MODEL_H
#define MODEL_H

#include "rl_lock.h"

enum { MODEL_KEYS = 4, MODEL_BLOCKED = 32, MODEL_ATTACHED = 16 };

/* A lock as the server has it. Moments are milliseconds of the server's clock; 0: none. */
typedef struct model_key {
	char name[64];
	char holder[300];
	size_t holder_length;       /* 0: nobody */
	int64_t expires;            /* 0: no time to live */
	int64_t fence;
	int64_t wait_flag_expires;
	int64_t wake;               /* the number on the wake list, -1: it is empty */
	int64_t wake_expires;
	struct {                    /* the calls of attach, the last one first: their numbers and fences */
		char number[64];
		int64_t fence;
	} attached[MODEL_ATTACHED];
} model_key;

/* A client in BLPOP. */
typedef struct model_blocked {
	int client;
	model_key *key;
	int64_t until;
} model_blocked;

typedef struct model {
	int64_t time_us;            /* its wall clock, set by the world */
	bool readonly;
	bool full;                  /* maxmemory is reached */
	bool cannot_block;          /* the user may not run BLPOP */
	bool cannot_unblock;        /* CLIENT is forbidden */
	unsigned unknown_scripts;   /* one bit per rl_script_id: EVALSHA answers NOSCRIPT */
	model_key keys[MODEL_KEYS];
	char run_id[RL_RUN_ID_SIZE];
	/* The node key of a quorum: who served last, and until when it sits out (milliseconds). */
	char known_run_id[RL_RUN_ID_SIZE];
	int64_t sits_out_until;
	model_blocked blocked[MODEL_BLOCKED];
	int blocked_count;
	/* Sends a client the answer to its BLPOP. */
	void (*answer)(void *context, int client, const char *answer, size_t length);
	void *context;
} model;

/* A command as it reached the server. */
typedef struct model_command {
	const rl_script *script;    /* NULL: a plain command */
	rl_form form;
	int key_count;
	int argument_count;
	rl_slice keys[RL_COMMAND_KEYS];
	rl_slice arguments[RL_COMMAND_ARGUMENTS];
	bool ran;                   /* by model_run() */
	int verdict;                /* the first number of the answer, 1 for a fence alone; -1: an error, or no script */
} model_command;

/* Called with what is wrong. It must not return; a test program sets its own. */
extern void (*model_failure)(const char *what);

void model_begin(model *model, int number);

/* It starts anew: another run_id, nothing remembered but what is asked to be kept. */
void model_restart(model *model, bool keeps_memory);

/* Runs a command and writes the answer; returns its length, 0: the client is blocked. */
size_t model_run(model *model, int client, model_command *command, char *answer, size_t size);

/* The client has closed its connection. */
void model_forget_client(model *model, int client);

/* When the first BLPOP times out, in microseconds of its clock (INT64_MAX: never), and answering those that have. */
int64_t model_next_timeout(const model *model);
void model_time_out(model *model);

/* A lock, after what is over has expired. */
model_key *model_find(model *model, rl_slice lock);
bool model_holds(model *model, rl_slice lock, rl_slice token);

bool model_is(const model_command *command, rl_script_id id);

#endif
