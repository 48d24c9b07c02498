#include "sim.h"

#include <stdarg.h>
#include <stdio.h>

int64_t sim_now;
long sim_counts[SIM_COUNTS];

const char *const sim_count_names[SIM_COUNTS] = {
	[SIM_EVENTS] = "events",
	[SIM_ACQUIRED] = "acquired",
	[SIM_CONTENDED] = "contended",
	[SIM_LOST] = "lease over on arrival",
	[SIM_UNCERTAIN] = "uncertain",
	[SIM_FAILED] = "failed",
	[SIM_NO_QUORUM] = "no quorum",
	[SIM_INTERRUPTED] = "interrupted",
	[SIM_ATTACHED] = "attached",
	[SIM_RENEWED] = "renewed",
	[SIM_RELEASED] = "released",
	[SIM_NOT_OURS] = "not ours",
	[SIM_RAISES] = "raise rounds",
	[SIM_SIT_OUTS] = "sit-outs met",
	[SIM_REPEATS] = "repeats",
	[SIM_RENAMED] = "earlier send found granted",
	[SIM_LATE_GRANTS] = "late grants",
	[SIM_HAND_OVERS] = "hand-overs",
	[SIM_TAKEN_OVER] = "reservations taken over",
	[SIM_ASKED_AGAIN] = "sends without the wake list that needed it",
	[SIM_PASSED_ON] = "wake-ups passed on",
	[SIM_POKES] = "pokes",
	[SIM_POKE_RESERVED] = "reservations by poke",
	[SIM_WAKE_UPS_WATCHED] = "wake-ups watched",
	[SIM_PARKED_LOST] = "abandoned sends lost with their connection",
	[SIM_SPIKES] = "late messages",
	[SIM_STALLS] = "connections gone silent",
	[SIM_CUTS] = "connections cut",
	[SIM_PARTITIONS] = "partitions",
	[SIM_CRASHES] = "crashes",
	[SIM_MEMORY_LOST] = "memories lost",
	[SIM_SNAPSHOTS] = "old snapshots",
	[SIM_HANGS] = "hangs",
	[SIM_FULL] = "full memories",
	[SIM_PAUSES] = "pauses",
	[SIM_LONG_PAUSES] = "pauses longer than the lease",
	[SIM_DEATHS] = "deaths",
	[SIM_FORKS] = "forks",
	[SIM_CLOCKS_SET] = "clocks set",
};

static uint64_t dice;
static uint64_t digest;
static bool traced;
static char broken[400];

/* splitmix64, Steele, Lea and Flood 2014: every seed is as good as any other. */
uint64_t sim_random(void)
{
	uint64_t mixed = dice += UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
	return mixed ^ mixed >> 31;
}

void sim_begin(uint64_t seed, bool trace)
{
	sim_now = 0;
	dice = seed;
	/* Schedules with neighbouring seeds shall not be shifted copies of each other. */
	dice = sim_random() ^ seed << 32;
	digest = 0;
	traced = trace;
	broken[0] = '\0';
}

int64_t sim_between(int64_t least, int64_t most)
{
	return least + (int64_t) (sim_random() % (uint64_t) (most - least + 1));
}

bool sim_chance(int percent)
{
	return sim_random() % 100 < (uint64_t) percent;
}

int64_t sim_spread(int64_t least, int64_t most)
{
	int64_t span = most - least;
	int bits = 0;

	/* In whole numbers: the mathematics of doubles is not the same everywhere, and a seed is to be. */
	while (bits < 62 && span >> bits > 0) {
		bits++;
	}
	bits = (int) sim_between(0, bits);
	return least + (int64_t) (sim_random() % (UINT64_C(1) << bits)) % (span + 1);
}

bool sim_is_traced(void)
{
	return traced;
}

void sim_trace(const char *format, ...)
{
	va_list arguments;

	if (!traced) {
		return;
	}
	printf("%12.6f  ", (double) sim_now / SIM_S);
	va_start(arguments, format);
	vprintf(format, arguments);
	va_end(arguments);
	putchar('\n');
}

void sim_break(const char *format, ...)
{
	va_list arguments;

	if (broken[0] != '\0') {
		return;
	}
	va_start(arguments, format);
	vsnprintf(broken, sizeof(broken), format, arguments);
	va_end(arguments);
	sim_trace("RULE BROKEN: %s", broken);
}

const char *sim_broken(void)
{
	return broken[0] != '\0' ? broken : NULL;
}

void sim_mix(uint64_t number)
{
	digest = (digest ^ number) * UINT64_C(0x100000001b3);
	digest ^= digest >> 29;
}

uint64_t sim_digest(void)
{
	return digest;
}
