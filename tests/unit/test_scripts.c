/* The generated header of scripts: each SHA-1 is the one of its text, which is how the server knows it. */
#include "support.h"

#include "rl_command.h"

#include <unistd.h>

/* As sha1sum of coreutils has it. */
static void compute_sha1(const char *text, size_t length, char *digits)
{
	char path[] = "/tmp/redislock-script.XXXXXX";
	char command[64];
	int fd = mkstemp(path);
	FILE *output;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, length), length);
	close(fd);
	snprintf(command, sizeof(command), "sha1sum <%s", path);
	output = popen(command, "r");
	assert_non_null(output);
	assert_int_equal(fread(digits, 1, 40, output), 40);
	digits[40] = '\0';
	pclose(output);
	unlink(path);
}

static void every_script_has_the_sha1_and_the_length_of_its_text(void **state)
{
	(void) state;
	for (int id = 0; id < RL_SCRIPT_COUNT; id++) {
		const rl_script *script = rl_script_get((rl_script_id) id);
		char digits[41];

		compute_sha1(script->text, strlen(script->text), digits);
		assert_string_equal(script->sha1, digits);
		assert_int_equal(script->length, strlen(script->text));
	}
}

static void every_script_has_its_own_name(void **state)
{
	(void) state;
	assert_string_equal(rl_script_get(RL_SCRIPT_ACQUIRE)->name, "acquire");
	assert_string_equal(rl_script_get(RL_SCRIPT_ATTACH)->name, "attach");
	assert_string_equal(rl_script_get(RL_SCRIPT_FORCE_RELEASE)->name, "force_release");
	assert_string_equal(rl_script_get(RL_SCRIPT_INSPECT)->name, "inspect");
	assert_string_equal(rl_script_get(RL_SCRIPT_RELEASE)->name, "release");
	assert_string_equal(rl_script_get(RL_SCRIPT_RENEW)->name, "renew");
}

/* A script that is not in the cache is sent whole, so it carries no comments and no indentation. */
static void no_script_carries_what_only_people_read(void **state)
{
	(void) state;
	for (int id = 0; id < RL_SCRIPT_COUNT; id++) {
		const rl_script *script = rl_script_get((rl_script_id) id);

		assert_contains_not(script->text, "\n--");
		assert_contains_not(script->text, "\n\n");
		assert_contains_not(script->text, "\n\t");
		assert_true(script->text[0] != '-' && script->text[0] != '\n');
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_script_has_the_sha1_and_the_length_of_its_text),
		cmocka_unit_test(every_script_has_its_own_name),
		cmocka_unit_test(no_script_carries_what_only_people_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
