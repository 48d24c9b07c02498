/* Runs the scripts of redislock, their real text, on a store. Each is compiled once. */
#ifndef SCRIPT_H
#define SCRIPT_H

#include "store.h"

#include "rl_buffer.h"
#include "rl_command.h"

/* Compiles all scripts. */
void script_begin(void);

/* Runs one and appends its reply to the buffer, as Redis would send it. keys and arguments follow each other. */
void script_run(rl_script_id id, store *on, const store_text *arguments, int key_count, int count, rl_buffer *reply);

#endif
