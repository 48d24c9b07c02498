/*
 * What must hold, whatever goes wrong. The simulation tells what happens; the rules know what they saw before.
 *
 * rules.c           who holds the lock: one at a time, with a lease on the server; fences; what calls return, and when
 * rules_script.c    what one script did to the keys of one node
 * rules_progress.c  waiters on one node: no lock stays free while somebody waits for it
 */
#ifndef RULES_H
#define RULES_H

#include "node.h"
#include "process.h"

void rules_begin(void);

/* An operation begins and ends. */
void rules_operation_begins(process *process, operation_kind kind, int64_t wait_us, int of);
void rules_operation_ends(process *process, rl_status status);

/* At every call of the system: looks whether the process came to hold the lock, or to hold it for longer. */
void rules_observe(process *process);

void rules_new_token(process *process);
void rules_died(process *process, bool loud);
void rules_process_ended(process *process);

/* A node granted the lock to a token of that process. */
void rules_granted(store_text token, process *to);

/* A token is given back by who does not hold it, but knows it. */
void rules_given_back(store_text token);

/* A node runs a script. */
void rules_before_script(node *node, rl_script_id id, const store_text *arguments);
void rules_after_script(node *node, wire *wire, rl_script_id id, const store_text *arguments, int keys, int count,
	int operation, const rl_buffer *reply);

/* A node has read what came on a connection. */
void rules_input_taken(const wire *wire);

void rules_clock_set(void);

/* EVENT_WAKE_UP_DUE */
void rules_wake_up_due(uint32_t which);

/* Nobody holds the lock any more: called when every lease there can be is over. */
void rules_nothing_is_locked(void);

/* Between the files of the rules. */

/* Whether the process believes now that it holds the lock, as the only one who has its token. */
bool rules_is_valid(const process *process);

/* Whether leases exclude each other: not once the clock of a node was set. */
bool rules_are_leases_kept(void);

/* The lock key of a node was changed. */
void rules_lock_changed(void);

/* Whether that node still owes something to a token that no process wants any more. */
void rules_check_orphan(node *node);

/* rules_progress.c */
void rules_progress_begin(void);
/* The lock is held until then. */
void rules_progress_held(int64_t until);
/* It is free from now on, or reserved. by_release: somebody gave it back just now. */
void rules_progress_freed(const node *node, bool by_release);
/* Somebody got it. */
void rules_progress_granted(void);
/* A waiter has waited until now. */
void rules_progress_check(const process *process);

#endif
