/*
 * Any bytes from a server, in pieces of any size, make replies that keep what rl_reply.h promises, or are refused; how
 * the bytes were cut makes no difference.
 *
 * Input: a first line, the seed of the cuts; after it, the bytes. If the first line begins with 'r' they are taken as
 * they are; otherwise each line ends as in the protocol, however the file has it.
 */
#include "fuzz.h"

#include "rl_reply.h"


/* What was made of the bytes, as text, so that two ways of cutting them can be compared. */
typedef struct outcome {
	rl_buffer text;
	bool refused;
} outcome;

static void note(outcome *outcome, const char *what, int64_t number)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %lld\n", what, (long long) number);
	rl_buffer_append(&outcome->text, line, strlen(line));
}

static void note_value(outcome *outcome, const rl_reply *reply, const rl_value *value)
{
	rl_slice text;

	switch (value->type) {
		case RL_REPLY_INTEGER:
			note(outcome, "integer", value->integer);
			break;
		case RL_REPLY_NIL:
			note(outcome, "nil", 0);
			break;
		case RL_REPLY_ARRAY:
			note(outcome, "array", reply->element_count);
			break;
		default:
			CHECK(value->type == RL_REPLY_STRING || value->type == RL_REPLY_STATUS || value->type == RL_REPLY_ERROR);
			text = rl_reply_text(reply, value);
			CHECK(value->offset + value->length <= reply->text.length);
			CHECK(value->length <= RL_REPLY_MAX_BYTES);
			note(outcome, "text", (int64_t) text.length);
			rl_buffer_append(&outcome->text, text.data, text.length);
	}
}

static void note_reply(outcome *outcome, const rl_reply *reply)
{
	CHECK(reply->type == reply->root.type);
	CHECK(reply->element_count >= 0 && reply->element_count <= RL_REPLY_ELEMENTS);
	CHECK(reply->text.length <= RL_REPLY_MAX_BYTES);
	note_value(outcome, reply, &reply->root);
	if (reply->type != RL_REPLY_ARRAY) {
		int64_t number;

		CHECK(!rl_reply_number(reply, 0, INT64_MIN, INT64_MAX, &number));
		return;
	}
	for (int i = 0; i < RL_REPLY_ELEMENTS + 1; i++) {
		int64_t number = 0;

		if (rl_reply_number(reply, i, -5, RL_REPLY_MAX_BYTES, &number)) {
			CHECK(i < reply->element_count && number >= -5 && number <= RL_REPLY_MAX_BYTES);
		}
		if (i < reply->element_count) {
			CHECK(reply->elements[i].type != RL_REPLY_ARRAY);
			note_value(outcome, reply, &reply->elements[i]);
		}
	}
}

/* cut 0: all at once. */
static outcome feed(const char *bytes, size_t length, uint32_t cut)
{
	rl_reply_reader *reader = rl_reply_reader_new();
	outcome outcome = {0};
	size_t at = 0;

	while (at < length && !outcome.refused) {
		size_t piece = length - at;
		rl_reply_result result;
		const rl_reply *reply;

		if (cut != 0) {
			cut = cut * 1103515245u + 12345u;
			piece = 1 + (cut >> 16) % 40;
			piece = piece < length - at ? piece : length - at;
		}
		if (!rl_reply_reader_feed(reader, bytes + at, piece)) {
			outcome.refused = true;
			break;
		}
		at += piece;
		while ((result = rl_reply_reader_next(reader, &reply)) == RL_REPLY_COMPLETE) {
			note_reply(&outcome, reply);
		}
		outcome.refused = result == RL_REPLY_REFUSED;
		/* For good. */
		CHECK(!outcome.refused || rl_reply_reader_next(reader, &reply) == RL_REPLY_REFUSED);
	}
	rl_reply_reader_free(reader);
	return outcome;
}

static rl_buffer read_bytes(const char *text, size_t size, bool raw)
{
	rl_buffer bytes = {0};

	for (size_t i = 0; i < size; i++) {
		if (!raw && text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) {
			rl_buffer_append(&bytes, "\r", 1);
		}
		rl_buffer_append(&bytes, &text[i], 1);
	}
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *) data;
	const char *line = memchr(bytes, '\n', size);
	uint32_t cut = 1;
	outcome whole, pieces;
	rl_buffer input;

	if (line == NULL) {
		return 0;
	}
	for (const char *c = bytes; c < line; c++) {
		cut = cut * 31 + (unsigned char) *c;
	}
	input = read_bytes(line + 1, size - (size_t) (line + 1 - bytes), bytes[0] == 'r');
	whole = feed(input.data, input.length, 0);
	pieces = feed(input.data, input.length, cut | 1);
	CHECK(whole.refused == pieces.refused);
	CHECK(whole.text.length == pieces.text.length);
	CHECK(whole.text.length == 0 || memcmp(whole.text.data, pieces.text.data, whole.text.length) == 0);
	rl_buffer_free(&input);
	rl_buffer_free(&whole.text);
	rl_buffer_free(&pieces.text);
	return 0;
}
