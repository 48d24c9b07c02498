#include "rl_command.h"

#include <assert.h>

#define RL_SCRIPTS_DATA_TEXTS
#include "rl_scripts_data.h"

const rl_script *rl_script_get(rl_script_id id)
{
	return &scripts[id];
}

/* Writes the number's decimal digits and returns how many; not terminated. */
static size_t write_number(char *to, int64_t number)
{
	char reversed[RL_NUMBER_SIZE];
	uint64_t rest = number < 0 ? -(uint64_t) number : (uint64_t) number;
	size_t digits = 0, length = 0;

	/* Nearly all of them are the lengths of short texts, and this is most of the work of writing a command. */
	if (number >= 0 && number < 10) {
		to[0] = (char) ('0' + number);
		return 1;
	}
	if (number >= 10 && number < 100) {
		to[0] = (char) ('0' + number / 10);
		to[1] = (char) ('0' + number % 10);
		return 2;
	}
	do {
		reversed[digits++] = (char) ('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (number < 0) {
		to[length++] = '-';
	}
	while (digits > 0) {
		to[length++] = reversed[--digits];
	}
	return length;
}

void rl_command_init_script(rl_command *command, rl_script_id id)
{
	command->script = rl_script_get(id);
	command->key_count = command->argument_count = command->number_count = 0;
}

void rl_command_init_plain(rl_command *command, const char *name)
{
	command->script = NULL;
	command->key_count = command->argument_count = command->number_count = 0;
	rl_command_add(command, rl_slice_text(name));
}

void rl_command_add_key(rl_command *command, rl_slice key)
{
	assert(command->key_count < RL_COMMAND_KEYS);
	command->keys[command->key_count++] = key;
}

void rl_command_add(rl_command *command, rl_slice argument)
{
	assert(command->argument_count < RL_COMMAND_ARGUMENTS);
	command->arguments[command->argument_count++] = argument;
}

void rl_command_add_number(rl_command *command, int64_t number)
{
	char *text = command->numbers[command->number_count];

	assert(command->number_count < (int) (sizeof(command->numbers) / sizeof(command->numbers[0])));
	command->number_count++;
	rl_command_add(command, rl_slice_make(text, write_number(text, number)));
}

static char *write_header(char *to, char kind, size_t count)
{
	*to++ = kind;
	to += write_number(to, (int64_t) count);
	*to++ = '\r';
	*to++ = '\n';
	return to;
}

static char *write_bulk(char *to, const char *data, size_t length)
{
	to = write_header(to, '$', length);
	memcpy(to, data, length);
	to += length;
	*to++ = '\r';
	*to++ = '\n';
	return to;
}

size_t rl_command_most_bytes(const rl_command *command)
{
	/* Per element: '$', at most 20 digits, two line ends. */
	const size_t overhead = 32;
	size_t size = overhead * (size_t) (command->key_count + command->argument_count + 4) + 64;

	if (command->script != NULL) {
		size += command->script->length;
	}
	for (int i = 0; i < command->key_count; i++) {
		size += command->keys[i].length;
	}
	for (int i = 0; i < command->argument_count; i++) {
		size += command->arguments[i].length;
	}
	return size;
}

bool rl_command_write(const rl_command *command, rl_form form, rl_buffer *buffer)
{
	size_t elements = (size_t) (command->key_count + command->argument_count) + (command->script != NULL ? 3 : 0);
	char key_count[RL_NUMBER_SIZE];
	char *to;

	if (!rl_buffer_reserve(buffer, rl_command_most_bytes(command))) {
		return false;
	}
	to = write_header(buffer->data + buffer->length, '*', elements);
	if (command->script != NULL) {
		if (form == RL_BY_HASH) {
			to = write_bulk(to, "EVALSHA", 7);
			to = write_bulk(to, command->script->sha1, 40);
		} else {
			to = write_bulk(to, "EVAL", 4);
			to = write_bulk(to, command->script->text, command->script->length);
		}
		to = write_bulk(to, key_count, write_number(key_count, command->key_count));
	}
	for (int i = 0; i < command->key_count; i++) {
		to = write_bulk(to, command->keys[i].data, command->keys[i].length);
	}
	for (int i = 0; i < command->argument_count; i++) {
		to = write_bulk(to, command->arguments[i].data, command->arguments[i].length);
	}
	buffer->length = (size_t) (to - buffer->data);
	return true;
}
