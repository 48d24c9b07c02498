#include "rl_stats.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
# include <sys/mman.h>
#endif

#if !defined(_WIN32) && !defined(MAP_ANONYMOUS)
# define MAP_ANONYMOUS MAP_ANON
#endif

/* A lock inside the library would be one that a killed process holds for ever. */
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2 && ATOMIC_BOOL_LOCK_FREE == 2, "64-bit atomics must be lock-free");

rl_stats *rl_stats_new(bool grouped)
{
	rl_stats *stats;

#ifdef _WIN32
	/* Where processes are not forked, each is on its own. */
	stats = calloc(1, sizeof(*stats));
#else
	/* Zeroed by the system. Pages that nobody counts in cost nothing. */
	stats = mmap(NULL, sizeof(*stats), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stats == MAP_FAILED) {
		stats = NULL;
	}
#endif
	if (stats != NULL) {
		stats->grouped = grouped;
	}
	return stats;
}

void rl_stats_free(rl_stats *stats)
{
#ifdef _WIN32
	free(stats);
#else
	if (stats != NULL) {
		munmap(stats, sizeof(*stats));
	}
#endif
}

/* How many bytes the UTF-8 character at the beginning of the text has; 0: it is none, or a control character. */
static size_t character_length(const unsigned char *text, size_t length)
{
	size_t size = text[0] < 0x80 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
	/* What the second byte must be, so that the character is not written longer than it is, a surrogate or too large. */
	unsigned char least = text[0] == 0xE0 ? 0xA0 : text[0] == 0xF0 ? 0x90 : 0x80;
	unsigned char most = text[0] == 0xED ? 0x9F : text[0] == 0xF4 ? 0x8F : 0xBF;

	if (size == 1) {
		return text[0] < 0x20 || text[0] == 0x7F ? 0 : 1;
	}
	if (text[0] < 0xC2 || text[0] > 0xF4 || size > length || text[1] < least || text[1] > most) {
		return 0;
	}
	for (size_t i = 2; i < size; i++) {
		if (text[i] < 0x80 || text[i] > 0xBF) {
			return 0;
		}
	}
	return size;
}

/*
 * What is shown of a group. Groups are told apart by it, and not by the bytes of the lock's name: two of the same would
 * be two series with the same labels.
 */
static void make_readable(rl_slice name, char to[RL_STATS_GROUP_NAME])
{
	const unsigned char *from = (const unsigned char *) name.data;
	size_t used = 0;

	memset(to, 0, RL_STATS_GROUP_NAME);
	for (size_t i = 0; i < name.length;) {
		size_t size = character_length(from + i, name.length - i);
		size_t needed = size > 0 ? size : 4;

		if (used + needed >= RL_STATS_GROUP_NAME) {
			return;
		}
		if (size > 0) {
			memcpy(to + used, from + i, size);
		} else {
			snprintf(to + used, 5, "\\x%02x", from[i]);
		}
		used += needed;
		i += size > 0 ? size : 1;
	}
}

/* FNV-1a. Names whose hash is the same would be one group; that takes intent, and gains nothing. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++) {
		hash = (hash ^ (unsigned char) *name) * UINT64_C(0x100000001b3);
	}
	return hash == 0 ? 1 : hash;
}

/* Also where another process claimed the place and was killed before it wrote the name. */
static void write_name(rl_stats_group *group, const char name[RL_STATS_GROUP_NAME])
{
	for (int i = 0; i < RL_STATS_GROUP_NAME / 8; i++) {
		uint64_t word;

		memcpy(&word, name + 8 * i, sizeof(word));
		atomic_store_explicit(&group->name[i], word, memory_order_relaxed);
	}
	atomic_store_explicit(&group->named, true, memory_order_release);
}

int rl_stats_find_group(rl_stats *stats, rl_slice name)
{
	const char *colon = stats != NULL && stats->grouped ? memchr(name.data, ':', name.length) : NULL;
	char readable[RL_STATS_GROUP_NAME];
	uint64_t hash;

	if (colon == NULL || colon == name.data) {
		return RL_STATS_OTHER;
	}
	make_readable(rl_slice_make(name.data, (size_t) (colon - name.data)), readable);
	if (strcmp(readable, "other") == 0) {
		return RL_STATS_OTHER;
	}
	hash = hash_of(readable);
	for (int i = 0; i < RL_STATS_GROUPS; i++) {
		rl_stats_group *group = &stats->groups[i];
		uint64_t found = atomic_load_explicit(&group->hash, memory_order_relaxed);

		/* If somebody else was faster, found is what he put there. */
		if (found == 0 && atomic_compare_exchange_strong_explicit(&group->hash, &found, hash, memory_order_relaxed,
				memory_order_relaxed)) {
			found = hash;
		}
		if (found == hash) {
			if (!atomic_load_explicit(&group->named, memory_order_acquire)) {
				write_name(group, readable);
			}
			return i;
		}
	}
	return RL_STATS_OTHER;
}

bool rl_stats_group_name(const rl_stats *stats, int group, char name[RL_STATS_GROUP_NAME])
{
	const rl_stats_group *from = &stats->groups[group];

	if (group == RL_STATS_OTHER) {
		memcpy(name, "other", sizeof("other"));
		return true;
	}
	if (!atomic_load_explicit(&from->named, memory_order_acquire)) {
		return false;
	}
	for (int i = 0; i < RL_STATS_GROUP_NAME / 8; i++) {
		uint64_t word = atomic_load_explicit(&from->name[i], memory_order_relaxed);

		memcpy(name + 8 * i, &word, sizeof(word));
	}
	return true;
}

static const int64_t bounds[RL_HISTOGRAMS + 1][RL_STATS_BUCKETS] = {
	[RL_HISTOGRAM_WAIT] = {
		100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000,
		30000000, 60000000
	},
	[RL_HISTOGRAM_HOLD] = {
		500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000, 10000000, 30000000,
		60000000, 300000000, 1800000000
	},
	[RL_HISTOGRAM_LEASE_USED] = {
		1, 10, 50, 100, 200, 300, 400, 500, 600, 700, 800, 900, 950, 1000, 1500, 2000, 5000, 10000
	},
	[RL_HISTOGRAM_ROUND_TRIP] = {
		25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000,
		10000000
	}
};

int64_t rl_stats_bound(rl_histogram_id histogram, int bucket)
{
	return bounds[histogram][bucket];
}

void rl_stats_observe(rl_stats *stats, int group, rl_histogram_id histogram, int64_t value)
{
	rl_histogram *to;
	int bucket = 0;

	if (stats == NULL) {
		return;
	}
	if (value < 0) {
		value = 0;
	}
	while (bucket < RL_STATS_BUCKETS && value > bounds[histogram][bucket]) {
		bucket++;
	}
	to = histogram == RL_HISTOGRAM_ROUND_TRIP ? &stats->round_trip : &stats->groups[group].histograms[histogram];
	atomic_fetch_add_explicit(&to->buckets[bucket], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&to->sum, (uint64_t) value, memory_order_relaxed);
}
