/* The counters that processes share: groups of locks and their names, histograms, and processes that are killed. */
#include "support.h"

#include "rl_stats.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int begin(void **state)
{
	*state = rl_stats_new(true);
	return *state == NULL ? -1 : 0;
}

static int end(void **state)
{
	rl_stats_free(*state);
	return 0;
}

static int find(rl_stats *stats, const char *name)
{
	return rl_stats_find_group(stats, rl_slice_text(name));
}

/* The name that the group of a lock has. */
static const char *name_of(rl_stats *stats, rl_slice lock)
{
	static char name[RL_STATS_GROUP_NAME];

	assert_true(rl_stats_group_name(stats, rl_stats_find_group(stats, lock), name));
	return name;
}

static void the_group_is_what_stands_before_the_first_colon(void **state)
{
	rl_stats *stats = *state;

	assert_int_equal(find(stats, "invoice:17"), 0);
	assert_int_equal(find(stats, "invoice:18:pdf"), 0);
	assert_int_equal(find(stats, "user:1"), 1);
	assert_int_equal(find(stats, "invoice:"), 0);
	assert_int_equal(find(stats, "invoic:1"), 2);
	assert_int_equal(find(stats, "invoices:1"), 3);
	assert_string_equal(name_of(stats, rl_slice_text("invoice:17")), "invoice");
}

static void names_without_a_group_are_others(void **state)
{
	rl_stats *stats = *state;

	assert_int_equal(find(stats, "invoice"), RL_STATS_OTHER);
	assert_int_equal(find(stats, ":invoice"), RL_STATS_OTHER);
	assert_int_equal(find(stats, ":"), RL_STATS_OTHER);
	assert_int_equal(rl_stats_find_group(stats, rl_slice_make("", 0)), RL_STATS_OTHER);
	/* Or there were two groups of that name. */
	assert_int_equal(find(stats, "other:1"), RL_STATS_OTHER);
	assert_string_equal(name_of(stats, rl_slice_text("other:1")), "other");
}

static void without_groups_or_counters_everything_is_other(void **state)
{
	rl_stats *stats = rl_stats_new(false);

	(void) state;
	assert_int_equal(find(stats, "invoice:17"), RL_STATS_OTHER);
	assert_int_equal(find(NULL, "invoice:17"), RL_STATS_OTHER);
	rl_stats_count(NULL, RL_STATS_OTHER, RL_COUNT_ATTEMPTS);
	rl_stats_count_wire(NULL, RL_COUNT_REPEATS);
	rl_stats_observe(NULL, RL_STATS_OTHER, RL_HISTOGRAM_WAIT, 1);
	rl_stats_free(stats);
	rl_stats_free(NULL);
}

static void there_are_64_groups_and_the_rest_is_other(void **state)
{
	rl_stats *stats = *state;
	char name[32];

	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 200; i++) {
			snprintf(name, sizeof(name), "group-%d:x", i);
			assert_int_equal(find(stats, name), i < RL_STATS_GROUPS ? i : RL_STATS_OTHER);
		}
	}
}

static void any_bytes_become_text_that_can_be_shown(void **state)
{
	static const struct {
		const char *lock;
		size_t length;
		const char *group;
	} cases[] = {
		{"a b:", 4, "a b"},
		{"\"\\{}=,:", 7, "\"\\{}=,"},
		{"a\nb:", 4, "a\\x0ab"},
		{"a\0b:", 4, "a\\x00b"},
		{"\x7f\x1f:", 3, "\\x7f\\x1f"},
		{"\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x92:", 10, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x94\x92"},
		{"\xff\xfe:", 3, "\\xff\\xfe"},
		{"\x80:", 2, "\\x80"},
		/* Cut off by the colon. */
		{"\xc3:", 2, "\\xc3"},
		{"\xe2\x82:", 3, "\\xe2\\x82"},
		{"\xf0\x9f\x94:", 4, "\\xf0\\x9f\\x94"},
		/* Written longer than they are: "/", U+07FF, U+FFFF. */
		{"\xc0\xaf:", 3, "\\xc0\\xaf"},
		{"\xe0\x9f\xbf:", 4, "\\xe0\\x9f\\xbf"},
		{"\xf0\x8f\xbf\xbf:", 5, "\\xf0\\x8f\\xbf\\xbf"},
		/* A surrogate, and beyond the last character. */
		{"\xed\xa0\x80:", 4, "\\xed\\xa0\\x80"},
		{"\xf4\x90\x80\x80:", 5, "\\xf4\\x90\\x80\\x80"},
		{"\xf5\x80\x80\x80:", 5, "\\xf5\\x80\\x80\\x80"},
		/* The edges that are right. */
		{"\xc2\x80\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf:", 13, "\xc2\x80\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(name_of(*state, rl_slice_make(cases[i].lock, cases[i].length)), cases[i].group);
	}
}

static void what_looks_the_same_is_one_group(void **state)
{
	rl_stats *stats = *state;

	assert_int_equal(find(stats, "\xff:"), find(stats, "\\xff:"));
	assert_int_not_equal(find(stats, "\xff:"), find(stats, "\xfe:"));
}

static void a_long_name_is_cut_between_characters(void **state)
{
	rl_stats *stats = *state;
	char lock[400], name[RL_STATS_GROUP_NAME];

	memset(lock, 'a', sizeof(lock));
	lock[63] = ':';
	assert_int_equal(strlen(name_of(stats, rl_slice_make(lock, 64))), 63);
	lock[63] = 'a';
	lock[64] = ':';
	/* The same when it is cut. */
	assert_int_equal(rl_stats_find_group(stats, rl_slice_make(lock, 65)), 0);
	/* 62 bytes, and two for the next character: too much. */
	memcpy(lock + 62, "\xc3\xa4:", 3);
	memset(name, 'a', 62);
	name[62] = '\0';
	assert_string_equal(name_of(stats, rl_slice_make(lock, 65)), name);
	/* The same with one that has to be written as \xHH: 60 and four. */
	memcpy(lock + 60, "\xff:", 2);
	name[60] = '\0';
	assert_string_equal(name_of(stats, rl_slice_make(lock, 62)), name);
}

static void values_fall_into_their_buckets(void **state)
{
	rl_stats *stats = *state;

	for (int id = 0; id <= RL_HISTOGRAM_ROUND_TRIP; id++) {
		const rl_histogram *histogram = id == RL_HISTOGRAM_ROUND_TRIP ? &stats->round_trip : &stats->groups[7].histograms[id];
		uint64_t sum = 0;

		for (int i = 0; i < RL_STATS_BUCKETS; i++) {
			int64_t bound = rl_stats_bound(id, i);

			assert_true(i == 0 ? bound > 0 : bound > rl_stats_bound(id, i - 1));
			/* Not larger than the bound, and one more: the next bucket. */
			rl_stats_observe(stats, 7, id, bound);
			rl_stats_observe(stats, 7, id, bound + 1);
			sum += 2 * (uint64_t) bound + 1;
		}
		rl_stats_observe(stats, 7, id, -5);
		assert_int_equal(histogram->buckets[0], 2);
		for (int i = 1; i < RL_STATS_BUCKETS; i++) {
			assert_int_equal(histogram->buckets[i], 2);
		}
		assert_int_equal(histogram->buckets[RL_STATS_BUCKETS], 1);
		assert_int_equal(histogram->sum, sum);
	}
}

/* Whoever was killed between claiming a place and naming it has left it to the next one of that group. */
static void a_place_that_was_claimed_and_not_named_is_named_by_the_next(void **state)
{
	rl_stats *stats = *state;
	char name[RL_STATS_GROUP_NAME];

	assert_int_equal(find(stats, "a:"), 0);
	atomic_store(&stats->groups[0].named, false);
	memset((void *) stats->groups[0].name, 0, sizeof(stats->groups[0].name));
	assert_false(rl_stats_group_name(stats, 0, name));
	assert_int_equal(find(stats, "b:"), 1);
	assert_int_equal(find(stats, "a:"), 0);
	assert_true(rl_stats_group_name(stats, 0, name));
	assert_string_equal(name, "a");
}

/* Processes claim the same groups at the same time, half of them are killed, and no name is there twice. */
static void processes_that_claim_at_once_agree(void **state)
{
	enum { PROCESSES = 8, ROUNDS = 40, NAMES = 80 };
	(void) state;

	for (int round = 0; round < ROUNDS; round++) {
		rl_stats *stats = rl_stats_new(true);
		char names[RL_STATS_GROUPS][RL_STATS_GROUP_NAME];
		pid_t children[PROCESSES];
		uint64_t counted = 0;
		int go[2];
		char byte;

		assert_int_equal(pipe(go), 0);
		for (int i = 0; i < PROCESSES; i++) {
			children[i] = fork();
			if (children[i] == 0) {
				char name[32];

				close(go[1]);
				if (read(go[0], &byte, 1) != 0) {
					_exit(1);
				}
				for (int j = 0; j < NAMES; j++) {
					snprintf(name, sizeof(name), "group %d:", (j * 7 + i * 13) % NAMES);
					rl_stats_count(stats, find(stats, name), RL_COUNT_ATTEMPTS);
				}
				_exit(0);
			}
		}
		/* All of them start as the pipe closes. */
		close(go[0]);
		close(go[1]);
		for (int i = 0; i < PROCESSES; i += 2) {
			kill(children[i], SIGKILL);
		}
		for (int i = 0; i < PROCESSES; i++) {
			int status;

			assert_int_equal(waitpid(children[i], &status, 0), children[i]);
			assert_true(i % 2 == 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
		}
		for (int i = 0; i < RL_STATS_GROUPS; i++) {
			/* The survivors have seen every name, so every place is claimed; all but those of names that had no place. */
			assert_true(rl_stats_group_name(stats, i, names[i]));
			for (int j = 0; j < i; j++) {
				assert_string_not_equal(names[i], names[j]);
			}
		}
		for (int i = 0; i <= RL_STATS_GROUPS; i++) {
			counted += stats->groups[i].counters[RL_COUNT_ATTEMPTS];
		}
		assert_in_range(counted, PROCESSES / 2 * NAMES, PROCESSES * NAMES);
		rl_stats_free(stats);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_group_is_what_stands_before_the_first_colon, begin, end),
		cmocka_unit_test_setup_teardown(names_without_a_group_are_others, begin, end),
		cmocka_unit_test(without_groups_or_counters_everything_is_other),
		cmocka_unit_test_setup_teardown(there_are_64_groups_and_the_rest_is_other, begin, end),
		cmocka_unit_test_setup_teardown(any_bytes_become_text_that_can_be_shown, begin, end),
		cmocka_unit_test_setup_teardown(what_looks_the_same_is_one_group, begin, end),
		cmocka_unit_test_setup_teardown(a_long_name_is_cut_between_characters, begin, end),
		cmocka_unit_test_setup_teardown(values_fall_into_their_buckets, begin, end),
		cmocka_unit_test_setup_teardown(a_place_that_was_claimed_and_not_named_is_named_by_the_next, begin, end),
		cmocka_unit_test(processes_that_claim_at_once_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
