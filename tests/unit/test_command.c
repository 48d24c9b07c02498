/* Commands: the exact bytes on the wire. */
#include "support.h"

#include "rl_command.h"

static void assert_written(const rl_command *command, rl_form form, const char *expected)
{
	rl_buffer buffer = {0};

	assert_true(rl_command_write(command, form, &buffer));
	assert_slice_equal(rl_slice_make(buffer.data, buffer.length), expected);
	rl_buffer_free(&buffer);
}

static void assert_number(int64_t number, const char *digits)
{
	rl_command command;

	rl_command_init_plain(&command, "X");
	rl_command_add_number(&command, number);
	assert_int_equal(command.argument_count, 2);
	assert_slice_equal(command.arguments[1], digits);
}

static void a_plain_command(void **state)
{
	rl_command command;

	(void) state;
	rl_command_init_plain(&command, "AUTH");
	rl_command_add(&command, rl_slice_text("user"));
	rl_command_add(&command, rl_slice_make("p\0w\r\n", 5));
	{
		rl_buffer buffer = {0};
		static const char expected[] = "*3\r\n$4\r\nAUTH\r\n$4\r\nuser\r\n$5\r\np\0w\r\n\r\n";

		assert_true(rl_command_write(&command, RL_BY_HASH, &buffer));
		assert_int_equal(buffer.length, sizeof(expected) - 1);
		assert_memory_equal(buffer.data, expected, sizeof(expected) - 1);
		rl_buffer_free(&buffer);
	}
	rl_command_init_plain(&command, "PING");
	assert_written(&command, RL_BY_TEXT, "*1\r\n$4\r\nPING\r\n");
}

static void a_script_by_its_hash(void **state)
{
	char expected[200];
	rl_command command;

	(void) state;
	rl_command_init_script(&command, RL_SCRIPT_RENEW);
	rl_command_add_key(&command, rl_slice_text("key"));
	rl_command_add(&command, rl_slice_text("token"));
	rl_command_add_number(&command, 30000);
	snprintf(expected, sizeof(expected), "*6\r\n$7\r\nEVALSHA\r\n$40\r\n%s\r\n$1\r\n1\r\n$3\r\nkey\r\n$5\r\ntoken\r\n"
		"$5\r\n30000\r\n", rl_script_get(RL_SCRIPT_RENEW)->sha1);
	assert_written(&command, RL_BY_HASH, expected);
}

static void a_script_by_its_text(void **state)
{
	const rl_script *script = rl_script_get(RL_SCRIPT_ACQUIRE);
	char *expected = malloc(script->length + 200);
	rl_command command;

	(void) state;
	rl_command_init_script(&command, RL_SCRIPT_ACQUIRE);
	rl_command_add_key(&command, rl_slice_text("a"));
	rl_command_add_key(&command, rl_slice_text("b"));
	rl_command_add_key(&command, rl_slice_text("c"));
	rl_command_add_key(&command, rl_slice_text("d"));
	rl_command_add(&command, rl_slice_text("t"));
	sprintf(expected,
		"*8\r\n$4\r\nEVAL\r\n$%zu\r\n%s\r\n$1\r\n4\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$1\r\nd\r\n$1\r\nt\r\n",
		script->length, script->text);
	assert_written(&command, RL_BY_TEXT, expected);
	free(expected);
}

static void keys_come_before_arguments_in_whatever_order_they_are_added(void **state)
{
	char expected[200];
	rl_command command;

	(void) state;
	rl_command_init_script(&command, RL_SCRIPT_RELEASE);
	rl_command_add(&command, rl_slice_text("x"));
	rl_command_add_key(&command, rl_slice_text("k"));
	rl_command_add_number(&command, 1);
	snprintf(expected, sizeof(expected),
		"*6\r\n$7\r\nEVALSHA\r\n$40\r\n%s\r\n$1\r\n1\r\n$1\r\nk\r\n$1\r\nx\r\n$1\r\n1\r\n",
		rl_script_get(RL_SCRIPT_RELEASE)->sha1);
	assert_written(&command, RL_BY_HASH, expected);
}

static void an_empty_argument(void **state)
{
	rl_command command;

	(void) state;
	rl_command_init_plain(&command, "X");
	rl_command_add(&command, rl_slice_make("", 0));
	rl_command_add(&command, rl_slice_text("y"));
	assert_written(&command, RL_BY_HASH, "*3\r\n$1\r\nX\r\n$0\r\n\r\n$1\r\ny\r\n");
}

static void numbers(void **state)
{
	(void) state;
	assert_number(0, "0");
	assert_number(7, "7");
	assert_number(10, "10");
	assert_number(-1, "-1");
	assert_number(INT64_C(9007199254740991), "9007199254740991");
	assert_number(INT64_MAX, "9223372036854775807");
	assert_number(INT64_MIN, "-9223372036854775808");
	assert_number(INT64_MIN + 1, "-9223372036854775807");
	for (int64_t power = 1; power < INT64_MAX / 10; power *= 10) {
		char digits[RL_NUMBER_SIZE];

		snprintf(digits, sizeof(digits), "%lld", (long long) power);
		assert_number(power, digits);
		snprintf(digits, sizeof(digits), "%lld", (long long) power - 1);
		assert_number(power - 1, digits);
	}
}

static void six_numbers_fit(void **state)
{
	rl_command command;

	(void) state;
	rl_command_init_plain(&command, "X");
	for (int i = 0; i < 6; i++) {
		rl_command_add_number(&command, INT64_MIN + i);
	}
	for (int i = 0; i < 6; i++) {
		char digits[RL_NUMBER_SIZE];

		snprintf(digits, sizeof(digits), "%lld", (long long) (INT64_MIN + i));
		assert_slice_equal(command.arguments[1 + i], digits);
	}
}

static void the_longest_command_fits(void **state)
{
	rl_command command;
	rl_buffer buffer = {0};
	char *large = malloc(100000);
	char *end;

	(void) state;
	memset(large, 'x', 100000);
	rl_command_init_script(&command, RL_SCRIPT_ACQUIRE);
	for (int i = 0; i < RL_COMMAND_KEYS; i++) {
		rl_command_add_key(&command, rl_slice_make(large, 100000));
	}
	for (int i = 0; i < RL_COMMAND_ARGUMENTS; i++) {
		rl_command_add(&command, rl_slice_make(large, i % 2 == 0 ? 100000 : 0));
	}
	assert_true(rl_command_write(&command, RL_BY_TEXT, &buffer));
	assert_true(buffer.length <= buffer.capacity);
	end = buffer.data + buffer.length;
	assert_memory_equal(buffer.data, "*31\r\n$4\r\nEVAL\r\n", 15);
	assert_memory_equal(end - 6, "$0\r\n\r\n", 6);
	rl_buffer_free(&buffer);
	free(large);
}

static void commands_are_appended(void **state)
{
	rl_buffer buffer = {0};
	rl_command command;

	(void) state;
	for (int i = 0; i < 1000; i++) {
		rl_command_init_plain(&command, "SELECT");
		rl_command_add_number(&command, i % 10);
		assert_true(rl_command_write(&command, RL_BY_HASH, &buffer));
		assert_int_equal(buffer.length, 23 * (i + 1));
	}
	for (int i = 0; i < 1000; i++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "*2\r\n$6\r\nSELECT\r\n$1\r\n%d\r\n", i % 10);
		assert_memory_equal(buffer.data + 23 * i, expected, 23);
	}
	rl_buffer_free(&buffer);
}

/* A command struct on the stack is used again and again. */
static void initialising_forgets_what_was_there(void **state)
{
	rl_command command;

	(void) state;
	memset(&command, 0x55, sizeof(command));
	rl_command_init_script(&command, RL_SCRIPT_RENEW);
	rl_command_add_key(&command, rl_slice_text("k"));
	rl_command_add_number(&command, 5);
	rl_command_init_plain(&command, "GET");
	assert_null(command.script);
	assert_int_equal(command.key_count, 0);
	assert_int_equal(command.argument_count, 1);
	assert_int_equal(command.number_count, 0);
	assert_written(&command, RL_BY_HASH, "*1\r\n$3\r\nGET\r\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_command),
		cmocka_unit_test(a_script_by_its_hash),
		cmocka_unit_test(a_script_by_its_text),
		cmocka_unit_test(keys_come_before_arguments_in_whatever_order_they_are_added),
		cmocka_unit_test(an_empty_argument),
		cmocka_unit_test(numbers),
		cmocka_unit_test(six_numbers_fit),
		cmocka_unit_test(the_longest_command_fits),
		cmocka_unit_test(commands_are_appended),
		cmocka_unit_test(initialising_forgets_what_was_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
