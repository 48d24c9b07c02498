/* What the unit tests share. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rl_buffer.h"
#include "rl_status.h"

/* How many elements an array has. */
#define COUNT(array) ((int) (sizeof(array) / sizeof((array)[0])))

static inline void assert_slice_equal(rl_slice slice, const char *text)
{
	assert_int_equal(slice.length, strlen(text));
	assert_memory_equal(slice.data, text, slice.length);
}

static inline void assert_contains(const char *text, const char *part)
{
	if (strstr(text, part) == NULL) {
		fail_msg("\"%s\" does not contain \"%s\"", text, part);
	}
}

static inline void assert_contains_not(const char *text, const char *part)
{
	if (strstr(text, part) != NULL) {
		fail_msg("\"%s\" contains \"%s\"", text, part);
	}
}

/* Terminated and printable, as rl_error promises. */
static inline void assert_printable(const rl_error *error)
{
	assert_non_null(memchr(error->message, '\0', sizeof(error->message)));
	assert_non_null(memchr(error->code, '\0', sizeof(error->code)));
	for (const char *c = error->message; *c != '\0'; c++) {
		assert_true((unsigned char) *c >= 0x20 && *c != 0x7f);
	}
	for (const char *c = error->code; *c != '\0'; c++) {
		assert_true((unsigned char) *c >= 0x20 && *c != 0x7f);
	}
}

#endif
