/* How long a lease can be relied on. */
#include "support.h"

#include "rl_lease.h"

static void a_lease_ends_one_percent_and_two_milliseconds_early(void **state)
{
	(void) state;
	assert_int_equal(rl_lease_end(0, 30000), 29698000);
	assert_int_equal(rl_lease_end(1000000, 1000), 1988000);
	assert_int_equal(rl_lease_end(0, 60000), 59398000);
}

static void the_shortest_lease_is_still_one(void **state)
{
	(void) state;
	assert_int_equal(rl_lease_end(0, RL_LEASE_MIN_MS), 7900);
	assert_int_equal(rl_lease_end(123456789, RL_LEASE_MIN_MS), 123456789 + 7900);
}

static void the_longest_lease_does_not_overflow(void **state)
{
	int64_t longest = (int64_t) (RL_LEASE_MAX_SECONDS * 1000);
	int64_t age = INT64_C(315360000) * RL_US_PER_S;   /* a machine that runs for ten years */

	(void) state;
	assert_int_equal(rl_lease_end(age, longest) - age, longest * 990 - 2000);
}

/* attach and renew are told what is left of a lease, which may be next to nothing. */
static void what_is_left_of_a_lease_may_be_over_at_once(void **state)
{
	(void) state;
	assert_int_equal(rl_lease_end(5000, 0), 3000);
	assert_int_equal(rl_lease_end(5000, 2), 4980);
	assert_true(rl_lease_end(5000, 3) > 5000);
}

static void a_longer_lease_never_ends_earlier(void **state)
{
	int64_t last = rl_lease_end(0, 0);

	(void) state;
	for (int64_t ms = 1; ms < 100000; ms++) {
		int64_t end = rl_lease_end(0, ms);

		assert_true(end > last);
		assert_true(end < ms * RL_US_PER_MS);
		last = end;
	}
}

static void a_fence_is_kept_for_twice_the_lease_at_least(void **state)
{
	(void) state;
	assert_int_equal(rl_lease_retention(604800000, 30000), 604800000);
	assert_int_equal(rl_lease_retention(604800000, INT64_C(2678400000)), INT64_C(5356800000));
	assert_int_equal(rl_lease_retention(60000, 30000), 60000);
	assert_int_equal(rl_lease_retention(59999, 30000), 60000);
	assert_int_equal(rl_lease_retention(0, 10), 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lease_ends_one_percent_and_two_milliseconds_early),
		cmocka_unit_test(the_shortest_lease_is_still_one),
		cmocka_unit_test(the_longest_lease_does_not_overflow),
		cmocka_unit_test(what_is_left_of_a_lease_may_be_over_at_once),
		cmocka_unit_test(a_longer_lease_never_ends_earlier),
		cmocka_unit_test(a_fence_is_kept_for_twice_the_lease_at_least),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
