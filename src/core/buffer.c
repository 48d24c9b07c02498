#include "rl_buffer.h"

#include <stdlib.h>

bool rl_buffer_reserve(rl_buffer *buffer, size_t more)
{
	size_t capacity = buffer->capacity == 0 ? 512 : buffer->capacity;
	char *data;

	if (buffer->capacity - buffer->length >= more) {
		return true;
	}
	while (capacity - buffer->length < more) {
		capacity *= 2;
	}
	/* Not realloc(): what it leaves behind may be a log-in, with the password in it. */
	data = malloc(capacity);
	if (data == NULL) {
		return false;
	}
	if (buffer->data != NULL) {
		memcpy(data, buffer->data, buffer->length);
		rl_wipe(buffer->data, buffer->capacity);
		free(buffer->data);
	}
	buffer->data = data;
	buffer->capacity = capacity;
	return true;
}

bool rl_buffer_append(rl_buffer *buffer, const char *data, size_t length)
{
	if (!rl_buffer_reserve(buffer, length)) {
		return false;
	}
	if (length == 0) {
		/* Of nothing, the address may be NULL, which memcpy() must not get. */
		return true;
	}
	memcpy(buffer->data + buffer->length, data, length);
	buffer->length += length;
	return true;
}

void rl_buffer_consume(rl_buffer *buffer, size_t length)
{
	buffer->length -= length;
	memmove(buffer->data, buffer->data + length, buffer->length);
}

void rl_buffer_free(rl_buffer *buffer)
{
	free(buffer->data);
	*buffer = (rl_buffer) {0};
}

void rl_wipe(void *memory, size_t length)
{
	volatile unsigned char *bytes = memory;

	while (length-- > 0) {
		*bytes++ = 0;
	}
}
