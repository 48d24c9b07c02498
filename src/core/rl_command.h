/* A command for Redis: one of our scripts with its keys and arguments, or a plain command. */
#ifndef RL_COMMAND_H
#define RL_COMMAND_H

#include "rl_buffer.h"
#include "rl_scripts_data.h"

#include <stdint.h>

enum {
	RL_COMMAND_KEYS = 4,
	/* The most unanswered sends that a lock remembers, the one under way included, which names all the others. */
	RL_MAX_UNANSWERED = 16,
	RL_COMMAND_ARGUMENTS = 8 + RL_MAX_UNANSWERED,
	/* 19 digits, a sign and a terminator. */
	RL_NUMBER_SIZE = 21
};

typedef struct rl_script {
	const char *name;
	const char *sha1;   /* 40 hexadecimal digits */
	size_t length;
	const char *text;
} rl_script;

/* How a script is named to the server. */
typedef enum rl_form {
	RL_BY_HASH,   /* EVALSHA: short; the server may answer NOSCRIPT */
	RL_BY_TEXT    /* EVAL: always works, for a reply that nobody will read */
} rl_form;

/* All slices belong to the caller, who keeps them until the command is sent. */
typedef struct rl_command {
	const rl_script *script;   /* NULL: a plain command, arguments[0] is its name */
	int key_count;
	int argument_count;
	rl_slice keys[RL_COMMAND_KEYS];
	rl_slice arguments[RL_COMMAND_ARGUMENTS];
	char numbers[6][RL_NUMBER_SIZE];   /* room for arguments that are numbers */
	int number_count;
} rl_command;

const rl_script *rl_script_get(rl_script_id id);

/* An empty command that runs a script. */
void rl_command_init_script(rl_command *command, rl_script_id id);

/* An empty plain command. */
void rl_command_init_plain(rl_command *command, const char *name);

void rl_command_add_key(rl_command *command, rl_slice key);
void rl_command_add(rl_command *command, rl_slice argument);

/* At most six numbers fit in a command. */
void rl_command_add_number(rl_command *command, int64_t number);

/* The command has no more bytes than this, in either form. */
size_t rl_command_most_bytes(const rl_command *command);

/* Appends the command to the buffer as RESP, https://redis.io/docs/reference/protocol-spec/. False: no memory. */
bool rl_command_write(const rl_command *command, rl_form form, rl_buffer *buffer);

#endif
