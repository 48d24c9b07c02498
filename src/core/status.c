#include "rl_status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A server or a proxy can send anything, and messages end in logs and terminals. */
static void make_printable(char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char) *text < 0x20 || *text == 0x7f) {
			*text = '?';
		}
	}
}

rl_status rl_error_set(rl_error *error, rl_status status, const char *format, ...)
{
	va_list arguments;

	error->status = status;
	error->code[0] = '\0';
	va_start(arguments, format);
	vsnprintf(error->message, sizeof(error->message), format, arguments);
	va_end(arguments);
	make_printable(error->message);
	return status;
}

rl_status rl_error_set_reply(rl_error *error, const char *where, const char *text, size_t length)
{
	size_t code_length = 0;

	rl_error_set(error, RL_SERVER, "%s: %.*s", where, length > 400 ? 400 : (int) length, text);
	while (code_length < length && text[code_length] != ' ' && code_length < sizeof(error->code) - 1) {
		code_length++;
	}
	memcpy(error->code, text, code_length);
	error->code[code_length] = '\0';
	make_printable(error->code);
	if (strstr(error->message, "unauthenticated") != NULL) {
		/* What a server that wants a password says of a command with more than ten arguments; any other gets NOAUTH. */
		memcpy(error->code, "NOAUTH", sizeof("NOAUTH"));
	}
	if (strcmp(error->code, "NOPERM") == 0 || strstr(error->message, "can't run this command") != NULL
			|| strstr(error->message, "ACL failure in script") != NULL) {
		size_t used = strlen(error->message);

		/* Of a command inside a script, Redis 7.0 does not say which one it is. */
		snprintf(error->message + used, sizeof(error->message) - used,
			" (redislock needs +eval +evalsha +blpop +client|id +client|unblock +del +exists +get +llen +ltrim +pexpire +pttl "
			"+rpush +set +time, on a quorum also +info: see docs/operations.md; ACL LOG on the server names the one that is missing)");
	}
	return RL_SERVER;
}

bool rl_error_is_full(const rl_error *error)
{
	return strstr(error->message, "max number of clients") != NULL;
}

bool rl_error_is_transient(const rl_error *error)
{
	static const char *const codes[] = {
		"LOADING", "BUSY", "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "UNBLOCKED"
	};

	if (error->status != RL_SERVER) {
		return false;
	}
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (strcmp(error->code, codes[i]) == 0) {
			return true;
		}
	}
	return rl_error_is_full(error);
}
