/* Which process this is, in every kind of child. */
#include "support.h"

#include "rl_process.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child says of itself: 0 that it is itself. */
static int status_of(pid_t child)
{
	int status = -1;

	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void answers_what_the_system_says(void **state)
{
	(void) state;
	assert_int_equal(rl_process_id(), getpid());
	rl_process_begin();
	assert_int_equal(rl_process_id(), getpid());
	assert_int_equal(rl_process_id(), getpid());
	rl_process_end();
	assert_int_equal(rl_process_id(), getpid());
}

static void a_child_is_not_its_parent(void **state)
{
	pid_t child;

	(void) state;
	rl_process_begin();
	assert_int_equal(rl_process_id(), getpid());
	child = fork();
	if (child == 0) {
		bool right = rl_process_id() == getpid();
		pid_t grandchild = fork();
		int status = -1;

		if (grandchild == 0) {
			_exit(rl_process_id() == getpid() ? 0 : 1);
		}
		waitpid(grandchild, &status, 0);
		_exit(right && status == 0 ? 0 : 1);
	}
	assert_int_equal(status_of(child), 0);
	assert_int_equal(rl_process_id(), getpid());
	rl_process_end();
}

#ifdef __linux__
static void a_child_made_without_fork_is_not_its_parent(void **state)
{
	pid_t child;

	(void) state;
	rl_process_begin();
	assert_int_equal(rl_process_id(), getpid());
	child = (pid_t) syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (child == 0) {
		_exit(rl_process_id() == (int) syscall(SYS_getpid) ? 0 : 1);
	}
	assert_int_equal(status_of(child), 0);
	rl_process_end();
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_what_the_system_says),
		cmocka_unit_test(a_child_is_not_its_parent),
#ifdef __linux__
		cmocka_unit_test(a_child_made_without_fork_is_not_its_parent),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
