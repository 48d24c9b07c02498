#include "rl_reply.h"

#include <hiredis/read.h>
/* hiredis/read.h of 0.14 has no version; the version is in hiredis.h. */
#include <hiredis/hiredis.h>
#include <stdlib.h>

struct rl_reply_reader {
	redisReader *parser;
	rl_reply reply;
	size_t fed_since_reply;
};

#if HIREDIS_MAJOR >= 1
typedef size_t element_count;
#else
typedef int element_count;
#endif

/*
 * hiredis builds replies through functions given by its user. Ours fill one rl_reply instead of a tree on the heap.
 * What they return only has to be non-NULL; NULL makes the parser stop with an error.
 */
static void *place(const redisReadTask *task, rl_value **value)
{
	rl_reply *reply = task->privdata;

	if (task->parent == NULL) {
		reply->text.length = 0;
		reply->element_count = 0;
		*value = &reply->root;
		return reply;
	}
	/* Deeper than one level, or more elements than createArray allowed. */
	if (task->parent->parent != NULL || task->idx < 0 || task->idx >= RL_REPLY_ELEMENTS) {
		return NULL;
	}
	*value = &reply->elements[task->idx];
	return reply;
}

static void *create_string(const redisReadTask *task, char *data, size_t length)
{
	rl_reply *reply = task->privdata;
	rl_value *value;

	if (place(task, &value) == NULL || length > RL_REPLY_MAX_BYTES - reply->text.length) {
		return NULL;
	}
	switch (task->type) {
		case REDIS_REPLY_STRING:
			value->type = RL_REPLY_STRING;
			break;
		case REDIS_REPLY_STATUS:
			value->type = RL_REPLY_STATUS;
			break;
		case REDIS_REPLY_ERROR:
			value->type = RL_REPLY_ERROR;
			break;
		default:
			return NULL;
	}
	value->offset = reply->text.length;
	value->length = length;
	/* One more byte, so that the data pointer is never NULL, not even for an empty string. */
	if (!rl_buffer_reserve(&reply->text, length + 1)) {
		return NULL;
	}
	rl_buffer_append(&reply->text, data, length);
	return reply;
}

static void *create_array(const redisReadTask *task, element_count elements)
{
	rl_reply *reply = task->privdata;
	rl_value *value;

	if (task->parent != NULL || task->type != REDIS_REPLY_ARRAY || elements > RL_REPLY_ELEMENTS) {
		return NULL;
	}
	place(task, &value);
	value->type = RL_REPLY_ARRAY;
	reply->element_count = (int) elements;
	return reply;
}

static void *create_integer(const redisReadTask *task, long long integer)
{
	rl_value *value;
	void *reply = place(task, &value);

	if (reply != NULL) {
		value->type = RL_REPLY_INTEGER;
		value->integer = integer;
	}
	return reply;
}

static void *create_nil(const redisReadTask *task)
{
	rl_value *value;
	void *reply = place(task, &value);

	if (reply != NULL) {
		value->type = RL_REPLY_NIL;
	}
	return reply;
}

static void free_object(void *object)
{
	(void) object;
}

/* We never ask for RESP3, so its types are no replies to anything of ours: their functions stay NULL or refuse. */
#if HIREDIS_MAJOR >= 1
static void *create_double(const redisReadTask *task, double number, char *text, size_t length)
{
	(void) task;
	(void) number;
	(void) text;
	(void) length;
	return NULL;
}

static void *create_bool(const redisReadTask *task, int boolean)
{
	(void) task;
	(void) boolean;
	return NULL;
}
#endif

static redisReplyObjectFunctions functions = {
	.createString = create_string,
	.createArray = create_array,
	.createInteger = create_integer,
	.createNil = create_nil,
	.freeObject = free_object,
#if HIREDIS_MAJOR >= 1
	.createDouble = create_double,
	.createBool = create_bool,
#endif
};

rl_reply_reader *rl_reply_reader_new(void)
{
	rl_reply_reader *reader = calloc(1, sizeof(*reader));

	if (reader == NULL) {
		return NULL;
	}
	reader->parser = redisReaderCreateWithFunctions(&functions);
	if (reader->parser == NULL) {
		free(reader);
		return NULL;
	}
	reader->parser->privdata = &reader->reply;
	return reader;
}

void rl_reply_reader_free(rl_reply_reader *reader)
{
	if (reader == NULL) {
		return;
	}
	redisReaderFree(reader->parser);
	rl_buffer_free(&reader->reply.text);
	free(reader);
}

bool rl_reply_reader_feed(rl_reply_reader *reader, const char *data, size_t length)
{
	reader->fed_since_reply += length;
	if (reader->fed_since_reply > RL_REPLY_MAX_BYTES) {
		return false;
	}
	return redisReaderFeed(reader->parser, data, length) == REDIS_OK;
}

rl_reply_result rl_reply_reader_next(rl_reply_reader *reader, const rl_reply **reply)
{
	void *object = NULL;

	if (redisReaderGetReply(reader->parser, &object) != REDIS_OK) {
		return RL_REPLY_REFUSED;
	}
	if (object == NULL) {
		return RL_REPLY_INCOMPLETE;
	}
	reader->fed_since_reply = reader->parser->len - reader->parser->pos;
	reader->reply.type = reader->reply.root.type;
	*reply = &reader->reply;
	return RL_REPLY_COMPLETE;
}

bool rl_reply_reader_has_bytes(const rl_reply_reader *reader)
{
	return reader->fed_since_reply > 0;
}

static bool parse_number(rl_slice text, int64_t *number)
{
	int64_t sum = 0;
	size_t i = 0;
	bool negative = text.length > 0 && text.data[0] == '-';

	if (negative) {
		i = 1;
	}
	if (text.length == i || text.length > 17) {
		return false;
	}
	for (; i < text.length; i++) {
		if (text.data[i] < '0' || text.data[i] > '9') {
			return false;
		}
		sum = sum * 10 + (text.data[i] - '0');
	}
	*number = negative ? -sum : sum;
	return true;
}

bool rl_reply_number(const rl_reply *reply, int i, int64_t minimum, int64_t maximum, int64_t *number)
{
	const rl_value *value = i == RL_REPLY_ROOT ? &reply->root : &reply->elements[i];

	if (i != RL_REPLY_ROOT && (reply->type != RL_REPLY_ARRAY || i >= reply->element_count)) {
		return false;
	}
	if (value->type == RL_REPLY_INTEGER) {
		*number = value->integer;
	} else if (value->type != RL_REPLY_STRING || !parse_number(rl_reply_text(reply, value), number)) {
		return false;
	}
	return *number >= minimum && *number <= maximum;
}
