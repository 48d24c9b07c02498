/* Replies: every type, in pieces of every size, and whatever a broken server can send. */
#include "support.h"

#include "rl_reply.h"

static rl_reply_reader *make_reader(void)
{
	rl_reply_reader *reader = rl_reply_reader_new();

	assert_non_null(reader);
	return reader;
}

/* Feeds in pieces of that size, asking after each one, and returns the last result. */
static rl_reply_result feed(rl_reply_reader *reader, const char *bytes, size_t length, size_t piece,
	const rl_reply **reply)
{
	rl_reply_result result = RL_REPLY_INCOMPLETE;

	for (size_t at = 0; at < length && result == RL_REPLY_INCOMPLETE; at += piece) {
		size_t size = length - at < piece ? length - at : piece;

		if (!rl_reply_reader_feed(reader, bytes + at, size)) {
			return RL_REPLY_REFUSED;
		}
		result = rl_reply_reader_next(reader, reply);
		assert_true(result != RL_REPLY_COMPLETE || at + size == length);
	}
	return result;
}

typedef void check(const rl_reply *reply);

/* The same reply whole, byte by byte, and in between. */
static void assert_complete(const char *bytes, size_t length, check *check)
{
	for (size_t piece = 1; piece <= length; piece++) {
		rl_reply_reader *reader = make_reader();
		const rl_reply *reply;

		assert_int_equal(feed(reader, bytes, length, piece, &reply), RL_REPLY_COMPLETE);
		check(reply);
		assert_false(rl_reply_reader_has_bytes(reader));
		rl_reply_reader_free(reader);
	}
}

static void assert_complete_text(const char *bytes, check *check)
{
	assert_complete(bytes, strlen(bytes), check);
}

static void assert_refused(const char *bytes)
{
	for (size_t piece = 1; piece <= strlen(bytes); piece++) {
		rl_reply_reader *reader = make_reader();
		const rl_reply *reply;

		if (feed(reader, bytes, strlen(bytes), piece, &reply) != RL_REPLY_REFUSED) {
			fail_msg("\"%s\" in pieces of %zu should be refused", bytes, piece);
		}
		/* For good. */
		assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_REFUSED);
		rl_reply_reader_free(reader);
	}
}

static void assert_incomplete(const char *bytes)
{
	for (size_t piece = 1; piece <= strlen(bytes); piece++) {
		rl_reply_reader *reader = make_reader();
		const rl_reply *reply;

		assert_int_equal(feed(reader, bytes, strlen(bytes), piece, &reply), RL_REPLY_INCOMPLETE);
		assert_true(rl_reply_reader_has_bytes(reader));
		rl_reply_reader_free(reader);
	}
}

static void check_status(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_STATUS);
	assert_slice_equal(rl_reply_text(reply, &reply->root), "OK");
}

static void check_error(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_ERROR);
	assert_slice_equal(rl_reply_text(reply, &reply->root), "NOSCRIPT No matching script.");
}

static void check_integer(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_INTEGER);
	assert_int_equal(reply->root.integer, 42);
}

static void check_negative(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_INTEGER);
	assert_true(reply->root.integer == -1);
}

static void check_smallest(const rl_reply *reply)
{
	assert_true(reply->root.integer == INT64_MIN);
}

static void check_largest(const rl_reply *reply)
{
	assert_true(reply->root.integer == INT64_MAX);
}

static void check_string(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_STRING);
	assert_int_equal(reply->root.length, 7);
	assert_memory_equal(rl_reply_text(reply, &reply->root).data, "a\r\n\0b\r\n", 7);
}

static void check_empty_string(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_STRING);
	assert_int_equal(reply->root.length, 0);
	assert_non_null(rl_reply_text(reply, &reply->root).data);
}

static void check_nil(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_NIL);
}

static void check_empty_array(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_ARRAY);
	assert_int_equal(reply->element_count, 0);
}

static void check_mixed_array(const rl_reply *reply)
{
	assert_int_equal(reply->type, RL_REPLY_ARRAY);
	assert_int_equal(reply->element_count, 8);
	assert_int_equal(reply->elements[0].type, RL_REPLY_INTEGER);
	assert_int_equal(reply->elements[0].integer, 1);
	assert_slice_equal(rl_reply_text(reply, &reply->elements[1]), "first");
	assert_int_equal(reply->elements[2].type, RL_REPLY_NIL);
	assert_int_equal(reply->elements[3].type, RL_REPLY_STATUS);
	assert_slice_equal(rl_reply_text(reply, &reply->elements[3]), "fine");
	assert_int_equal(reply->elements[4].type, RL_REPLY_ERROR);
	assert_slice_equal(rl_reply_text(reply, &reply->elements[4]), "ERR bad");
	assert_int_equal(reply->elements[5].type, RL_REPLY_STRING);
	assert_slice_equal(rl_reply_text(reply, &reply->elements[5]), "");
	assert_int_equal(reply->elements[6].type, RL_REPLY_NIL);
	assert_slice_equal(rl_reply_text(reply, &reply->elements[7]), "last");
}

static void every_type_of_reply(void **state)
{
	(void) state;
	assert_complete_text("+OK\r\n", check_status);
	assert_complete_text("-NOSCRIPT No matching script.\r\n", check_error);
	assert_complete_text(":42\r\n", check_integer);
	assert_complete_text(":-1\r\n", check_negative);
	assert_complete_text(":-9223372036854775808\r\n", check_smallest);
	assert_complete_text(":9223372036854775807\r\n", check_largest);
	assert_complete("$7\r\na\r\n\0b\r\n\r\n", 13, check_string);
	assert_complete_text("$0\r\n\r\n", check_empty_string);
	assert_complete_text("$-1\r\n", check_nil);
	assert_complete_text("*-1\r\n", check_nil);
	assert_complete_text("*0\r\n", check_empty_array);
	assert_complete_text("*8\r\n:1\r\n$5\r\nfirst\r\n$-1\r\n+fine\r\n-ERR bad\r\n$0\r\n\r\n$-1\r\n$4\r\nlast\r\n",
		check_mixed_array);
}

static void what_is_not_whole_is_incomplete(void **state)
{
	(void) state;
	assert_incomplete("+");
	assert_incomplete("+OK");
	assert_incomplete("+OK\r");
	assert_incomplete(":1");
	assert_incomplete("$5\r\nfirs");
	assert_incomplete("$5\r\nfirst");
	assert_incomplete("$5\r\nfirst\r");
	assert_incomplete("*2\r\n");
	assert_incomplete("*2\r\n:1\r\n");
	assert_incomplete("*2\r\n:1\r\n$3\r\nab");
}

static void a_reader_that_was_never_fed_has_nothing(void **state)
{
	rl_reply_reader *reader = make_reader();
	const rl_reply *reply;

	(void) state;
	assert_false(rl_reply_reader_has_bytes(reader));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_INCOMPLETE);
	assert_false(rl_reply_reader_has_bytes(reader));
	rl_reply_reader_free(reader);
	rl_reply_reader_free(NULL);
}

static void replies_come_one_after_the_other(void **state)
{
	static const char bytes[] = "+OK\r\n:42\r\n-NOSCRIPT No matching script.\r\n*0\r\n$-1\r\n";
	rl_reply_reader *reader = make_reader();
	const rl_reply *reply;

	(void) state;
	assert_true(rl_reply_reader_feed(reader, bytes, sizeof(bytes) - 1));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	check_status(reply);
	assert_true(rl_reply_reader_has_bytes(reader));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	check_integer(reply);
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	check_error(reply);
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	check_empty_array(reply);
	assert_true(rl_reply_reader_has_bytes(reader));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	check_nil(reply);
	assert_false(rl_reply_reader_has_bytes(reader));
	rl_reply_reader_free(reader);
}

/* Asking once too often must not look like bytes that nobody asked for: an idle connection would be thrown away. */
static void asking_in_vain_leaves_no_bytes(void **state)
{
	rl_reply_reader *reader = make_reader();
	const rl_reply *reply;

	(void) state;
	assert_true(rl_reply_reader_feed(reader, "+OK\r\n", 5));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_INCOMPLETE);
	assert_false(rl_reply_reader_has_bytes(reader));
	rl_reply_reader_free(reader);
}

static void nothing_of_one_reply_shows_in_the_next(void **state)
{
	static const char bytes[] = "*3\r\n:1\r\n:2\r\n:3\r\n*1\r\n:4\r\n+OK\r\n";
	rl_reply_reader *reader = make_reader();
	const rl_reply *reply;
	int64_t number;

	(void) state;
	assert_true(rl_reply_reader_feed(reader, bytes, sizeof(bytes) - 1));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	assert_true(rl_reply_number(reply, 2, 0, 9, &number));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	assert_int_equal(reply->element_count, 1);
	assert_true(rl_reply_number(reply, 0, 0, 9, &number));
	assert_int_equal(number, 4);
	assert_false(rl_reply_number(reply, 1, 0, 9, &number));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	assert_false(rl_reply_number(reply, 0, 0, 9, &number));
	rl_reply_reader_free(reader);
}

static void what_is_no_reply_is_refused(void **state)
{
	static const char *const wrong[] = {"x", "\r\n", "\n", " +OK\r\n", "HTTP/1.1 400 Bad Request\r\n", ":\r\n",
		":x\r\n", ":1x\r\n", ": 1\r\n", ":1 \r\n", ":9223372036854775808\r\n", ":-9223372036854775809\r\n",
		":99999999999999999999999\r\n", ":--1\r\n", "$x\r\n", "$-2\r\n", "$99999999999999999999\r\n", "*x\r\n",
		"*-2\r\n", "*99999999999999999999\r\n"};

	(void) state;
	for (int i = 0; i < COUNT(wrong); i++) {
		assert_refused(wrong[i]);
	}
}

static void what_we_never_ask_for_is_refused(void **state)
{
	(void) state;
	/* Deeper than one level. */
	assert_refused("*1\r\n*0\r\n");
	assert_refused("*1\r\n*1\r\n:1\r\n");
	assert_refused("*2\r\n:1\r\n*1\r\n:1\r\n");
	assert_refused("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n");
	/* More elements than any of ours. */
	assert_refused("*9\r\n:1\r\n");
	assert_refused("*1000000\r\n");
	assert_refused("*2147483647\r\n");
	assert_refused("*4294967295\r\n");
	/* RESP3. */
	assert_refused("%1\r\n+a\r\n:1\r\n");
	assert_refused("~1\r\n:1\r\n");
	assert_refused(">1\r\n:1\r\n");
	assert_refused("|1\r\n+a\r\n:1\r\n");
	assert_refused("#t\r\n");
	assert_refused("#f\r\n");
	assert_refused(",1.5\r\n");
	assert_refused(",inf\r\n");
	assert_refused("(12345678901234567890\r\n");
	assert_refused("=7\r\ntxt:abc\r\n");
	assert_refused("!5\r\nERR x\r\n");
	assert_refused("*1\r\n#t\r\n");
	assert_refused("*1\r\n,1.5\r\n");
}

/* RESP3's null is refused, or where hiredis knows it, is a nil like any other. */
static void the_null_of_resp3_is_no_other_value(void **state)
{
	rl_reply_reader *reader = make_reader();
	const rl_reply *reply;

	(void) state;
	assert_true(rl_reply_reader_feed(reader, "_\r\n", 3));
	if (rl_reply_reader_next(reader, &reply) == RL_REPLY_COMPLETE) {
		assert_int_equal(reply->type, RL_REPLY_NIL);
	}
	rl_reply_reader_free(reader);
}

/* Feeds a reply of one string with that many bytes in all. */
static rl_reply_result feed_large(size_t total, size_t piece)
{
	rl_reply_reader *reader = make_reader();
	char *bytes = malloc(total);
	const rl_reply *reply;
	rl_reply_result result;
	int head = snprintf(bytes, total, "$%zu\r\n", total - 12);

	assert_int_equal(head, 10);
	memset(bytes + head, 'x', total - (size_t) head);
	memcpy(bytes + total - 2, "\r\n", 2);
	result = feed(reader, bytes, total, piece, &reply);
	if (result == RL_REPLY_COMPLETE) {
		assert_int_equal(reply->root.length, total - 12);
	}
	free(bytes);
	rl_reply_reader_free(reader);
	return result;
}

static void one_mebibyte_is_the_limit(void **state)
{
	(void) state;
	assert_int_equal(feed_large(RL_REPLY_MAX_BYTES, 16384), RL_REPLY_COMPLETE);
	assert_int_equal(feed_large(RL_REPLY_MAX_BYTES, RL_REPLY_MAX_BYTES), RL_REPLY_COMPLETE);
	assert_int_equal(feed_large(RL_REPLY_MAX_BYTES + 1, 16384), RL_REPLY_REFUSED);
	assert_int_equal(feed_large(3 * RL_REPLY_MAX_BYTES, 1000), RL_REPLY_REFUSED);
	assert_int_equal(feed_large(3 * RL_REPLY_MAX_BYTES, 3 * RL_REPLY_MAX_BYTES), RL_REPLY_REFUSED);
}

/* A server that promises much and never stops to send does not make us keep it. */
static void a_reply_without_end_is_refused(void **state)
{
	static const char *const begins[] = {"$536870912\r\n", "$2147483647\r\n", "+", "-", ":", "*", "$",
		"*8\r\n$400000\r\n"};

	(void) state;
	for (int i = 0; i < COUNT(begins); i++) {
		rl_reply_reader *reader = make_reader();
		const rl_reply *reply;
		char page[4096];
		size_t fed = strlen(begins[i]);
		bool refused = !rl_reply_reader_feed(reader, begins[i], strlen(begins[i]));

		memset(page, '7', sizeof(page));
		while (!refused && fed < 10 * RL_REPLY_MAX_BYTES) {
			refused = !rl_reply_reader_feed(reader, page, sizeof(page))
				|| rl_reply_reader_next(reader, &reply) == RL_REPLY_REFUSED;
			fed += sizeof(page);
		}
		assert_true(refused);
		assert_true(fed <= RL_REPLY_MAX_BYTES + sizeof(page));
		rl_reply_reader_free(reader);
	}
}

/* The bound is for one reply, not for the life of a connection. */
static void small_replies_without_end_are_fine(void **state)
{
	rl_reply_reader *reader = make_reader();
	char page[4096];

	(void) state;
	for (size_t i = 0; i < sizeof(page); i += 4) {
		memcpy(page + i, ":1\r\n", 4);
	}
	for (int i = 0; i < 3 * RL_REPLY_MAX_BYTES / 4096; i++) {
		assert_true(rl_reply_reader_feed(reader, page, sizeof(page)));
		for (size_t j = 0; j < sizeof(page) / 4; j++) {
			const rl_reply *reply;

			assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
			assert_int_equal(reply->root.integer, 1);
		}
	}
	rl_reply_reader_free(reader);
}

/* Element 0 of an array as a number; INT64_MIN: it is none in that range. */
static int64_t number_of(const char *element, int64_t minimum, int64_t maximum)
{
	rl_reply_reader *reader = make_reader();
	char bytes[200];
	const rl_reply *reply;
	int64_t number;
	bool fine;

	snprintf(bytes, sizeof(bytes), "*1\r\n%s\r\n", element);
	assert_true(rl_reply_reader_feed(reader, bytes, strlen(bytes)));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	fine = rl_reply_number(reply, 0, minimum, maximum, &number);
	rl_reply_reader_free(reader);
	return fine ? number : INT64_MIN;
}

static int64_t number_of_text(const char *text, int64_t minimum, int64_t maximum)
{
	char element[100];

	snprintf(element, sizeof(element), "$%zu\r\n%s", strlen(text), text);
	return number_of(element, minimum, maximum);
}

static void numbers_come_as_integers_or_as_text(void **state)
{
	(void) state;
	assert_true(number_of(":0", 0, 1) == 0);
	assert_true(number_of(":1", 0, 1) == 1);
	assert_true(number_of(":-1", -1, 1) == -1);
	assert_true(number_of_text("0", 0, 1) == 0);
	assert_true(number_of_text("-1", -1, 1) == -1);
	assert_true(number_of_text("9007199254740991", 1, INT64_C(9007199254740991)) == INT64_C(9007199254740991));
	assert_true(number_of_text("1764530000123456", 1, INT64_C(9007199254740991)) == INT64_C(1764530000123456));
	assert_true(number_of(":9223372036854775807", 0, INT64_MAX) == INT64_MAX);
}

static void numbers_outside_the_range_are_none(void **state)
{
	(void) state;
	assert_true(number_of(":2", 0, 1) == INT64_MIN);
	assert_true(number_of(":-1", 0, 1) == INT64_MIN);
	assert_true(number_of(":-9223372036854775808", 0, 1) == INT64_MIN);
	assert_true(number_of_text("2", 0, 1) == INT64_MIN);
	assert_true(number_of_text("-1", 0, 1) == INT64_MIN);
	assert_true(number_of_text("9007199254740992", 1, INT64_C(9007199254740991)) == INT64_MIN);
}

static void text_must_be_a_whole_decimal_number(void **state)
{
	static const char *const wrong[] = {
		"", "-", "+1", " 1", "1 ", "1x", "x", "1.0", "1e3", "0x1", "--1", "1-", "\xc2\xb9", "12345678901234567890",
		"9223372036854775808", "99999999999999999999999999999999", "nan", "-nan", "inf"
	};

	(void) state;
	for (int i = 0; i < COUNT(wrong); i++) {
		assert_true(number_of_text(wrong[i], INT64_MIN + 1, INT64_MAX) == INT64_MIN);
	}
}

static void only_integers_and_strings_are_numbers(void **state)
{
	static const char *const wrong[] = {"$-1", "+1", "-1", "*-1"};
	rl_reply_reader *reader = make_reader();
	const rl_reply *reply;
	int64_t number;

	(void) state;
	for (int i = 0; i < COUNT(wrong) - 1; i++) {
		assert_true(number_of(wrong[i], INT64_MIN + 1, INT64_MAX) == INT64_MIN);
	}
	/* Not an array at all. */
	assert_true(rl_reply_reader_feed(reader, ":1\r\n", 4));
	assert_int_equal(rl_reply_reader_next(reader, &reply), RL_REPLY_COMPLETE);
	assert_false(rl_reply_number(reply, 0, 0, 1, &number));
	rl_reply_reader_free(reader);
}

static void random_bytes_do_no_harm(void **state)
{
	static const char alphabet[] = "+-:$*0123456789\r\n\r\n\r\nax_#,(=%~>|!";
	unsigned dice = 7;

	(void) state;
	for (int round = 0; round < 20000; round++) {
		rl_reply_reader *reader = make_reader();

		for (int i = 0; i < 40; i++) {
			char bytes[8];
			const rl_reply *reply;

			for (size_t j = 0; j < sizeof(bytes); j++) {
				dice = dice * 1103515245u + 12345u;
				bytes[j] = alphabet[(dice >> 16) % (sizeof(alphabet) - 1)];
			}
			if (!rl_reply_reader_feed(reader, bytes, 1 + (dice >> 8) % 8)) {
				break;
			}
			while (rl_reply_reader_next(reader, &reply) == RL_REPLY_COMPLETE) {
				assert_true(reply->element_count >= 0 && reply->element_count <= RL_REPLY_ELEMENTS);
				for (int element = 0; element < reply->element_count; element++) {
					int64_t number;

					rl_reply_number(reply, element, INT64_MIN, INT64_MAX, &number);
				}
			}
		}
		rl_reply_reader_free(reader);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_of_reply),
		cmocka_unit_test(what_is_not_whole_is_incomplete),
		cmocka_unit_test(a_reader_that_was_never_fed_has_nothing),
		cmocka_unit_test(replies_come_one_after_the_other),
		cmocka_unit_test(asking_in_vain_leaves_no_bytes),
		cmocka_unit_test(nothing_of_one_reply_shows_in_the_next),
		cmocka_unit_test(what_is_no_reply_is_refused),
		cmocka_unit_test(what_we_never_ask_for_is_refused),
		cmocka_unit_test(the_null_of_resp3_is_no_other_value),
		cmocka_unit_test(one_mebibyte_is_the_limit),
		cmocka_unit_test(a_reply_without_end_is_refused),
		cmocka_unit_test(small_replies_without_end_are_fine),
		cmocka_unit_test(numbers_come_as_integers_or_as_text),
		cmocka_unit_test(numbers_outside_the_range_are_none),
		cmocka_unit_test(text_must_be_a_whole_decimal_number),
		cmocka_unit_test(only_integers_and_strings_are_numbers),
		cmocka_unit_test(random_bytes_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
