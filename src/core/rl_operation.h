/* What the operations on a lock share: commands, and sending one until it is answered or its budget is over. */
#ifndef RL_OPERATION_H
#define RL_OPERATION_H

#include "rl_call.h"
#include "rl_keys.h"

/* The largest fence: beyond it neither Lua nor JSON can count by one. */
#define RL_FENCE_MAX INT64_C(9007199254740991)

typedef enum rl_repeatable {
	RL_ONCE,
	RL_REPEATABLE
} rl_repeatable;

/* A release command: all four keys, the token, and the fence to compare or 0. */
void rl_operation_release(rl_command *command, const rl_keys *keys, rl_slice token, int64_t fence);

/* The same by the holder on a quorum: nodes outside of its majority may store a smaller fence. */
void rl_operation_release_quorum(rl_command *command, const rl_keys *keys, rl_slice token, int64_t fence);

/* A renew command. */
void rl_operation_renew(rl_command *command, const rl_keys *keys, rl_slice token, int64_t lease_ms);

/*
 * Sends until there is an answer. RL_OK: exchange has it, and its connection must be given back. *repeats counts the
 * sends whose answer was lost. Otherwise the status to return, RL_UNCERTAIN where one was lost.
 */
rl_status rl_operation_run(rl_call *call, const rl_command *command, rl_repeatable repeatable, rl_exchange *exchange,
	int *repeats);

/* The verdict in an answer of a script: 1 yes, 0 no. False: it has none. */
bool rl_operation_read_verdict(const rl_reply *reply, rl_script_id script, int64_t *verdict);

/* The same as a status: RL_OK or RL_NO. Without a verdict the exchange is rejected. */
rl_status rl_operation_verdict(rl_call *call, rl_script_id script, rl_exchange *exchange);

/* Turns call->error into the error of a command whose outcome stayed unknown. Returns RL_UNCERTAIN. */
rl_status rl_operation_uncertain(rl_call *call, const char *name);

#endif
