/* The growing array of bytes. */
#include "support.h"

/* A request that no machine can meet shall be answered with NULL, as without a sanitizer. */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void it_grows_and_keeps_what_it_holds(void **state)
{
	rl_buffer buffer = {0};
	size_t expected = 0;

	(void) state;
	for (int i = 0; i < 3000; i++) {
		char text[64];
		int length = snprintf(text, sizeof(text), "%d,", i);

		assert_true(rl_buffer_append(&buffer, text, (size_t) length));
		expected += (size_t) length;
		assert_int_equal(buffer.length, expected);
		assert_true(buffer.capacity >= buffer.length);
	}
	assert_memory_equal(buffer.data, "0,1,2,", 6);
	assert_memory_equal(buffer.data + buffer.length - 5, "2999,", 5);
	rl_buffer_free(&buffer);
	assert_null(buffer.data);
	assert_int_equal(buffer.length, 0);
	assert_int_equal(buffer.capacity, 0);
}

static void it_can_be_used_again_after_it_was_freed(void **state)
{
	rl_buffer buffer = {0};

	(void) state;
	assert_true(rl_buffer_append(&buffer, "first", 5));
	rl_buffer_free(&buffer);
	assert_true(rl_buffer_append(&buffer, "second", 6));
	assert_slice_equal(rl_slice_make(buffer.data, buffer.length), "second");
	rl_buffer_free(&buffer);
	rl_buffer_free(&buffer);
}

static void one_request_can_be_larger_than_twice_the_old_size(void **state)
{
	rl_buffer buffer = {0};

	(void) state;
	assert_true(rl_buffer_append(&buffer, "x", 1));
	assert_true(rl_buffer_reserve(&buffer, 1000000));
	assert_true(buffer.capacity - buffer.length >= 1000000);
	assert_int_equal(buffer.length, 1);
	assert_int_equal(buffer.data[0], 'x');
	rl_buffer_free(&buffer);
}

static void bytes_are_taken_off_the_front(void **state)
{
	rl_buffer buffer = {0};

	(void) state;
	assert_true(rl_buffer_append(&buffer, "abcdef", 6));
	rl_buffer_consume(&buffer, 0);
	assert_slice_equal(rl_slice_make(buffer.data, buffer.length), "abcdef");
	rl_buffer_consume(&buffer, 4);
	assert_slice_equal(rl_slice_make(buffer.data, buffer.length), "ef");
	rl_buffer_consume(&buffer, 2);
	assert_int_equal(buffer.length, 0);
	rl_buffer_free(&buffer);
}

/* The undefined-behaviour sanitizer watches: memcpy() to NULL is undefined even for no bytes at all. */
static void nothing_can_be_appended_to_nothing(void **state)
{
	rl_buffer buffer = {0};

	(void) state;
	assert_true(rl_buffer_append(&buffer, "", 0));
	assert_int_equal(buffer.length, 0);
	rl_buffer_free(&buffer);
}

static void without_memory_it_is_as_it_was(void **state)
{
	rl_buffer buffer = {0};

	(void) state;
	assert_false(rl_buffer_reserve(&buffer, (size_t) 1 << 50));
	assert_null(buffer.data);
	assert_true(rl_buffer_append(&buffer, "kept", 4));
	assert_false(rl_buffer_reserve(&buffer, (size_t) 1 << 50));
	assert_slice_equal(rl_slice_make(buffer.data, buffer.length), "kept");
	rl_buffer_free(&buffer);
}

static void slices_are_compared_by_bytes(void **state)
{
	(void) state;
	assert_true(rl_slice_equal(rl_slice_text("a"), rl_slice_text("a")));
	assert_false(rl_slice_equal(rl_slice_text("a"), rl_slice_text("b")));
	assert_false(rl_slice_equal(rl_slice_text("a"), rl_slice_text("ab")));
	assert_true(rl_slice_equal(rl_slice_text(""), rl_slice_make("x", 0)));
	assert_true(rl_slice_equal(rl_slice_make("a\0b", 3), rl_slice_make("a\0b", 3)));
	assert_false(rl_slice_equal(rl_slice_make("a\0b", 3), rl_slice_make("a\0c", 3)));
}

static void wiping_leaves_nothing(void **state)
{
	char secret[] = "secret";

	(void) state;
	rl_wipe(secret, 0);
	assert_string_equal(secret, "secret");
	rl_wipe(secret, 6);
	assert_memory_equal(secret, "\0\0\0\0\0\0", 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_grows_and_keeps_what_it_holds),
		cmocka_unit_test(it_can_be_used_again_after_it_was_freed),
		cmocka_unit_test(one_request_can_be_larger_than_twice_the_old_size),
		cmocka_unit_test(bytes_are_taken_off_the_front),
		cmocka_unit_test(nothing_can_be_appended_to_nothing),
		cmocka_unit_test(without_memory_it_is_as_it_was),
		cmocka_unit_test(slices_are_compared_by_bytes),
		cmocka_unit_test(wiping_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
