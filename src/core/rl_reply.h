/*
 * One reply of the server in bounded memory: a scalar, or a flat array of scalars, which is all that our commands ever
 * get. Anything deeper, longer or larger is refused while it arrives.
 */
#ifndef RL_REPLY_H
#define RL_REPLY_H

#include "rl_buffer.h"

#include <stdint.h>

enum {
	RL_REPLY_ELEMENTS = 8,
	/* Text of all strings of one reply together, and bytes on the wire for one reply. */
	RL_REPLY_MAX_BYTES = 1024 * 1024
};

typedef enum rl_reply_type {
	RL_REPLY_NIL,
	RL_REPLY_STRING,
	RL_REPLY_STATUS,
	RL_REPLY_ERROR,
	RL_REPLY_INTEGER,
	RL_REPLY_ARRAY
} rl_reply_type;

typedef struct rl_value {
	rl_reply_type type;
	int64_t integer;
	size_t offset;   /* where its text begins in rl_reply.text */
	size_t length;
} rl_value;

/* Filled anew for each reply; its memory is kept from one to the next. */
typedef struct rl_reply {
	rl_reply_type type;
	rl_value root;
	rl_value elements[RL_REPLY_ELEMENTS];
	int element_count;
	rl_buffer text;
} rl_reply;

typedef struct rl_reply_reader rl_reply_reader;

typedef enum rl_reply_result {
	RL_REPLY_COMPLETE,
	RL_REPLY_INCOMPLETE,   /* more bytes are needed */
	RL_REPLY_REFUSED       /* not a reply we could have asked for; the stream is unusable from here on */
} rl_reply_result;

/* NULL: no memory. */
rl_reply_reader *rl_reply_reader_new(void);
void rl_reply_reader_free(rl_reply_reader *reader);

/* Gives bytes from the server to the reader. False: no memory or too many bytes without a complete reply. */
bool rl_reply_reader_feed(rl_reply_reader *reader, const char *data, size_t length);

/* Takes the next reply. It stays valid until the next call. */
rl_reply_result rl_reply_reader_next(rl_reply_reader *reader, const rl_reply **reply);

/* True if bytes are left that no reply was made of. */
bool rl_reply_reader_has_bytes(const rl_reply_reader *reader);

/* The text of a string, status or error. */
static inline rl_slice rl_reply_text(const rl_reply *reply, const rl_value *value)
{
	return rl_slice_make(reply->text.data + value->offset, value->length);
}

/* In the place of an element: the reply itself, which is no array. */
enum { RL_REPLY_ROOT = -1 };

/*
 * Element i, or RL_REPLY_ROOT, as a whole number, whether it came as an integer or as decimal text.
 * False if there is no such element or it is not a whole number within [minimum, maximum].
 */
bool rl_reply_number(const rl_reply *reply, int i, int64_t minimum, int64_t maximum, int64_t *number);

#endif
