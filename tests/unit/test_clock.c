/* Time: seconds to milliseconds, what poll() is told to wait, and clocks that do not go back. */
#include "support.h"

#include "rl_clock.h"
#include "rl_lease.h"

#include <math.h>
#include <time.h>

static int64_t lease_ms(double seconds)
{
	int64_t milliseconds = -1;

	return rl_clock_to_ms(seconds, RL_LEASE_MIN_SECONDS, RL_LEASE_MAX_SECONDS, &milliseconds) ? milliseconds : -1;
}

static int64_t wait_ms(double seconds)
{
	int64_t milliseconds = -1;

	return rl_clock_to_ms(seconds, 0.0, RL_WAIT_MAX_SECONDS, &milliseconds) ? milliseconds : -1;
}

static void seconds_are_rounded_up_to_milliseconds(void **state)
{
	(void) state;
	assert_int_equal(lease_ms(30.0), 30000);
	assert_int_equal(lease_ms(0.01), 10);
	assert_int_equal(lease_ms(0.0101), 11);
	assert_int_equal(lease_ms(0.010001), 11);
	assert_int_equal(lease_ms(1.9999), 2000);
	assert_int_equal(lease_ms(2678400.0), INT64_C(2678400000));
	assert_int_equal(lease_ms(2678399.9991), INT64_C(2678400000));
	assert_int_equal(wait_ms(0.0), 0);
	assert_int_equal(wait_ms(-0.0), 0);
	assert_int_equal(wait_ms(0.0004), 1);
	assert_int_equal(wait_ms(0.001), 1);
	assert_int_equal(wait_ms(86400.0), 86400000);
}

/* 0.07 * 1000 is 70.00000000000001: the error of a double is no reason for one more millisecond. */
static void a_whole_number_of_milliseconds_stays_what_it_is(void **state)
{
	(void) state;
	assert_int_equal(lease_ms(0.07), 70);
	assert_int_equal(lease_ms(0.29), 290);
	assert_int_equal(lease_ms(1.001), 1001);
	for (int64_t ms = 10; ms <= 100000; ms++) {
		assert_int_equal(lease_ms((double) ms / 1000.0), ms);
	}
	for (int64_t ms = INT64_C(2678400000) - 100000; ms <= INT64_C(2678400000); ms++) {
		assert_int_equal(lease_ms((double) ms / 1000.0), ms);
	}
}

static void what_is_outside_is_refused(void **state)
{
	(void) state;
	assert_int_equal(lease_ms(0.0), -1);
	assert_int_equal(lease_ms(-1.0), -1);
	assert_int_equal(lease_ms(0.0004), -1);
	assert_int_equal(lease_ms(0.0099), -1);
	assert_int_equal(lease_ms(nextafter(0.01, 0.0)), -1);
	assert_int_equal(lease_ms(2678400.001), -1);
	assert_int_equal(lease_ms(nextafter(2678400.0, INFINITY)), -1);
	assert_int_equal(lease_ms(1e300), -1);
	assert_int_equal(wait_ms(-0.001), -1);
	assert_int_equal(wait_ms(-5e-324), -1);
	assert_int_equal(wait_ms(86400.001), -1);
}

static void what_is_no_number_is_refused(void **state)
{
	int64_t milliseconds = 77;

	(void) state;
	assert_int_equal(lease_ms(NAN), -1);
	assert_int_equal(lease_ms(-NAN), -1);
	assert_int_equal(lease_ms(INFINITY), -1);
	assert_int_equal(lease_ms(-INFINITY), -1);
	assert_int_equal(wait_ms(NAN), -1);
	assert_int_equal(wait_ms(INFINITY), -1);
	assert_false(rl_clock_to_ms(NAN, 0.0, 1.0, &milliseconds));
	assert_int_equal(milliseconds, 77);
}

static void poll_sleeps_to_the_deadline_and_not_less(void **state)
{
	(void) state;
	assert_int_equal(rl_clock_poll_ms(1000, 1000, 5000), 0);
	assert_int_equal(rl_clock_poll_ms(1001, 1000, 5000), 0);
	assert_int_equal(rl_clock_poll_ms(1000, -5, 5000), 0);
	assert_int_equal(rl_clock_poll_ms(1000, 1001, 5000), 1);
	assert_int_equal(rl_clock_poll_ms(1000, 2000, 5000), 1);
	assert_int_equal(rl_clock_poll_ms(1000, 2001, 5000), 2);
	assert_int_equal(rl_clock_poll_ms(0, 5000000, 5000), 5000);
	assert_int_equal(rl_clock_poll_ms(0, 4999999, 5000), 5000);
	assert_int_equal(rl_clock_poll_ms(0, 5000001, 5000), 5000);
	assert_int_equal(rl_clock_poll_ms(0, INT64_C(86400000000), 60000), 60000);
	assert_int_equal(rl_clock_poll_ms(0, INT64_MAX / 2, 60000), 60000);
}

static void the_clock_goes_on_and_never_back(void **state)
{
	struct timespec pause = {.tv_nsec = 20000000};
	int64_t first = rl_clock_now();
	int64_t last = first;

	(void) state;
	for (int i = 0; i < 10000; i++) {
		int64_t now = rl_clock_now();

		assert_true(now >= last);
		last = now;
	}
	nanosleep(&pause, NULL);
	assert_true(rl_clock_now() - first >= 20000);
}

static void the_wall_clock_is_the_time_of_day(void **state)
{
	int64_t before = (int64_t) time(NULL);
	int64_t wall = rl_clock_wall();
	int64_t after = (int64_t) time(NULL);

	(void) state;
	/* time() may lag the precise clock by a tick. */
	assert_true(wall / RL_US_PER_S >= before && wall / RL_US_PER_S <= after + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seconds_are_rounded_up_to_milliseconds),
		cmocka_unit_test(a_whole_number_of_milliseconds_stays_what_it_is),
		cmocka_unit_test(what_is_outside_is_refused),
		cmocka_unit_test(what_is_no_number_is_refused),
		cmocka_unit_test(poll_sleeps_to_the_deadline_and_not_less),
		cmocka_unit_test(the_clock_goes_on_and_never_back),
		cmocka_unit_test(the_wall_clock_is_the_time_of_day),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
