/* What one counter and one histogram cost by themselves: see bench/counters. */
#include "rl_stats.h"

#include <stdio.h>
#include <time.h>

enum { TIMES = 1000000, ROUNDS = 20 };

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double) time.tv_sec * 1e9 + (double) time.tv_nsec;
}

static void keep_least(double *least, double begin)
{
	double each = (now() - begin) / TIMES;

	*least = each < *least ? each : *least;
}

int main(void)
{
	rl_stats *stats = rl_stats_new(true);
	int group = rl_stats_find_group(stats, rl_slice_text("invoice:17"));
	double count = 1e9, observe = 1e9, find = 1e9, begin;

	/* The fastest round is the one that was disturbed least. */
	for (int round = 0; round < ROUNDS; round++) {
		begin = now();
		for (int i = 0; i < TIMES; i++) {
			rl_stats_count(stats, group, RL_COUNT_ATTEMPTS);
		}
		keep_least(&count, begin);
		begin = now();
		for (int i = 0; i < TIMES; i++) {
			rl_stats_observe(stats, group, RL_HISTOGRAM_WAIT, i % 65536);
		}
		keep_least(&observe, begin);
		begin = now();
		for (int i = 0; i < TIMES; i++) {
			rl_stats_find_group(stats, rl_slice_text("invoice:17"));
		}
		keep_least(&find, begin);
	}
	printf("a counter: %.1f ns, a histogram: %.1f ns, the group of a name: %.1f ns; %zu bytes in all\n", count, observe, find,
		sizeof(*stats));
	return 0;
}
