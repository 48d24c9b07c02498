/* What a user is told: codes, messages that are cut to size, and nothing that harms a terminal. */
#include "support.h"

static rl_error reply_error(const char *text, size_t length)
{
	rl_error error;

	memset(&error, 'x', sizeof(error));
	assert_int_equal(rl_error_set_reply(&error, "redis://host:1/0", text, length), RL_SERVER);
	assert_int_equal(error.status, RL_SERVER);
	assert_printable(&error);
	return error;
}

static rl_error reply_error_text(const char *text)
{
	return reply_error(text, strlen(text));
}

static void a_message_is_formatted(void **state)
{
	rl_error error;

	(void) state;
	memset(&error, 'x', sizeof(error));
	assert_int_equal(rl_error_set(&error, RL_CONNECTION, "%s: %d", "host", 42), RL_CONNECTION);
	assert_int_equal(error.status, RL_CONNECTION);
	assert_string_equal(error.message, "host: 42");
	assert_string_equal(error.code, "");
}

static void a_long_message_is_cut(void **state)
{
	char text[2000];
	rl_error error;

	(void) state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memset(&error, 'x', sizeof(error));
	rl_error_set(&error, RL_INVALID, "%s", text);
	assert_int_equal(strlen(error.message), RL_ERROR_MESSAGE_SIZE - 1);
	assert_printable(&error);
}

static void bytes_that_steer_a_terminal_become_question_marks(void **state)
{
	rl_error error;

	(void) state;
	rl_error_set(&error, RL_INVALID, "%s", "a\r\nb\t\x1b[31mc\x7f d\x01");
	assert_string_equal(error.message, "a??b??[31mc? d?");
	rl_error_set(&error, RL_INVALID, "%s", "Gr\xc3\xbc\xc3\x9f""e");
	assert_string_equal(error.message, "Gr\xc3\xbc\xc3\x9f""e");
}

static void the_code_is_the_first_word_of_the_reply(void **state)
{
	rl_error error = reply_error_text("OOM command not allowed when used memory > 'maxmemory'.");

	(void) state;
	assert_string_equal(error.code, "OOM");
	assert_string_equal(error.message, "redis://host:1/0: OOM command not allowed when used memory > 'maxmemory'.");
	error = reply_error_text("ERR");
	assert_string_equal(error.code, "ERR");
	error = reply_error_text("");
	assert_string_equal(error.code, "");
	error = reply_error_text(" leading space");
	assert_string_equal(error.code, "");
}

static void a_reply_need_not_be_terminated(void **state)
{
	char *exact = malloc(9);
	rl_error error;

	(void) state;
	/* The sanitizer sees every byte beyond the block. */
	memcpy(exact, "WRONGTYPE", 9);
	error = reply_error(exact, 9);
	assert_string_equal(error.code, "WRONGTYPE");
	assert_contains(error.message, "WRONGTYPE");
	free(exact);
}

static void a_code_that_is_too_long_is_cut(void **state)
{
	char text[200];
	rl_error error;

	(void) state;
	memset(text, 'A', sizeof(text));
	error = reply_error(text, sizeof(text));
	assert_int_equal(strlen(error.code), RL_ERROR_CODE_SIZE - 1);
	error = reply_error(text, RL_ERROR_CODE_SIZE);
	assert_int_equal(strlen(error.code), RL_ERROR_CODE_SIZE - 1);
	error = reply_error(text, RL_ERROR_CODE_SIZE - 1);
	assert_int_equal(strlen(error.code), RL_ERROR_CODE_SIZE - 1);
	error = reply_error(text, RL_ERROR_CODE_SIZE - 2);
	assert_int_equal(strlen(error.code), RL_ERROR_CODE_SIZE - 2);
}

static void a_reply_of_any_length_and_any_bytes_is_fine(void **state)
{
	char *huge = malloc(100000);

	(void) state;
	for (int byte = 0; byte < 256; byte++) {
		memset(huge, byte, 100000);
		reply_error(huge, 100000);
		reply_error(huge, 400);
		reply_error(huge, 1);
	}
	free(huge);
}

static void a_nul_byte_ends_the_code(void **state)
{
	rl_error error = reply_error("ER\0R text", 9);

	(void) state;
	assert_string_equal(error.code, "ER");
}

/* Redis says so only to commands with few arguments; ours have more. */
static void a_missing_password_is_noauth_whatever_the_words(void **state)
{
	rl_error error = reply_error_text("NOAUTH Authentication required.");

	(void) state;
	assert_string_equal(error.code, "NOAUTH");
	error = reply_error_text("ERR Protocol error: unauthenticated multibulk length");
	assert_string_equal(error.code, "NOAUTH");
	error = reply_error_text("ERR Protocol error: invalid bulk length");
	assert_string_equal(error.code, "ERR");
}

static void a_full_server_is_recognized(void **state)
{
	rl_error error = reply_error_text("ERR max number of clients reached");

	(void) state;
	assert_true(rl_error_is_full(&error));
	error = reply_error_text("OOM command not allowed when used memory > 'maxmemory'.");
	assert_false(rl_error_is_full(&error));
}

static void a_missing_permission_names_the_documentation(void **state)
{
	rl_error error = reply_error_text("NOPERM this user has no permissions to run the 'evalsha' command");

	(void) state;
	assert_string_equal(error.code, "NOPERM");
	assert_contains(error.message, "'evalsha'");
	assert_contains(error.message, "docs/operations.md");
	error = reply_error_text("NOPERMISSION x");
	assert_contains_not(error.message, "docs/operations.md");
}

/* The hint is appended to a message that may be full already. */
static void a_missing_permission_with_a_long_text_fits(void **state)
{
	char text[500];
	char where[500];
	rl_error error;

	(void) state;
	memset(text, 'a', sizeof(text));
	memcpy(text, "NOPERM ", 7);
	memset(where, 'w', sizeof(where));
	where[sizeof(where) - 1] = '\0';
	memset(&error, 'x', sizeof(error));
	rl_error_set_reply(&error, where, text, sizeof(text));
	assert_printable(&error);
	assert_int_equal(strlen(error.message), RL_ERROR_MESSAGE_SIZE - 1);
}

static void some_errors_pass_by_themselves(void **state)
{
	static const char *const passing[] = {
		"LOADING Redis is loading the dataset in memory",
		"BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
		"TRYAGAIN Multiple keys request during rehashing of slot",
		"CLUSTERDOWN The cluster is down",
		"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
		"READONLY You can't write against a read only replica.",
		"UNBLOCKED client unblocked via CLIENT UNBLOCK",
		"ERR max number of clients reached",
		"ERR max number of clients + cluster connections reached"
	};
	static const char *const lasting[] = {"ERR unknown command", "OOM command not allowed",
		"WRONGTYPE Operation against a key", "NOAUTH Authentication required.", "NOPERM no", "WRONGPASS invalid",
		"NOSCRIPT No matching script", "MOVED 1 127.0.0.1:7000", "LOADINGX", "loading", "", "FENCE the stored fence"};

	(void) state;
	for (int i = 0; i < COUNT(passing); i++) {
		rl_error error = reply_error_text(passing[i]);

		assert_true(rl_error_is_transient(&error));
	}
	for (int i = 0; i < COUNT(lasting); i++) {
		rl_error error = reply_error_text(lasting[i]);

		assert_false(rl_error_is_transient(&error));
	}
}

static void only_a_server_error_is_transient(void **state)
{
	static const rl_status others[] = {RL_OK, RL_NO, RL_CONNECTION, RL_UNCERTAIN, RL_LOST, RL_SYSTEM, RL_INVALID};

	(void) state;
	for (int i = 0; i < COUNT(others); i++) {
		rl_error error = reply_error_text("LOADING");

		error.status = others[i];
		assert_false(rl_error_is_transient(&error));
		rl_error_set(&error, others[i], "max number of clients");
		assert_false(rl_error_is_transient(&error));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_message_is_formatted),
		cmocka_unit_test(a_long_message_is_cut),
		cmocka_unit_test(bytes_that_steer_a_terminal_become_question_marks),
		cmocka_unit_test(the_code_is_the_first_word_of_the_reply),
		cmocka_unit_test(a_reply_need_not_be_terminated),
		cmocka_unit_test(a_code_that_is_too_long_is_cut),
		cmocka_unit_test(a_reply_of_any_length_and_any_bytes_is_fine),
		cmocka_unit_test(a_nul_byte_ends_the_code),
		cmocka_unit_test(a_missing_password_is_noauth_whatever_the_words),
		cmocka_unit_test(a_full_server_is_recognized),
		cmocka_unit_test(a_missing_permission_names_the_documentation),
		cmocka_unit_test(a_missing_permission_with_a_long_text_fits),
		cmocka_unit_test(some_errors_pass_by_themselves),
		cmocka_unit_test(only_a_server_error_is_transient),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
