/* A growing array of bytes, and a view of bytes owned by somebody else. */
#ifndef RL_BUFFER_H
#define RL_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Bytes that belong to somebody else. Not terminated. */
typedef struct rl_slice {
	const char *data;
	size_t length;
} rl_slice;

typedef struct rl_buffer {
	char *data;
	size_t length;
	size_t capacity;
} rl_buffer;

static inline rl_slice rl_slice_make(const char *data, size_t length)
{
	return (rl_slice) {data, length};
}

static inline rl_slice rl_slice_text(const char *text)
{
	return (rl_slice) {text, strlen(text)};
}

static inline bool rl_slice_equal(rl_slice a, rl_slice b)
{
	return a.length == b.length && memcmp(a.data, b.data, a.length) == 0;
}

static inline bool rl_slice_begins_with(rl_slice slice, const char *text)
{
	return slice.length >= strlen(text) && memcmp(slice.data, text, strlen(text)) == 0;
}

/* Makes room for that many more bytes. False: no memory, the buffer is as it was. */
bool rl_buffer_reserve(rl_buffer *buffer, size_t more);

/* Appends bytes. False: no memory, the buffer is as it was. */
bool rl_buffer_append(rl_buffer *buffer, const char *data, size_t length);

/* Takes that many bytes off the front. */
void rl_buffer_consume(rl_buffer *buffer, size_t length);

/* Frees the memory; the buffer can be used again. */
void rl_buffer_free(rl_buffer *buffer);

/* Overwrites memory that held a secret; unlike memset, it is not optimised away. */
void rl_wipe(void *memory, size_t length);

#endif
