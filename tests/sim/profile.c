#include "profile.h"

#include <stdio.h>
#include <string.h>

profile sim_profile;

static int64_t pick(const int64_t *table, int count)
{
	return table[sim_between(0, count - 1)];
}

static void draw_size(profile *p)
{
	int64_t dice = sim_between(1, 100);

	if (p->quorum) {
		p->nodes = dice <= 76 ? 3 : dice <= 95 ? 5 : dice <= 99 ? 4 : 7;
		p->clients = sim_chance(60) ? 2 : sim_chance(75) ? 3 : 4;
	} else {
		p->nodes = 1;
		p->clients = sim_chance(40) ? 2 : (int) sim_between(3, SIM_CLIENTS - 1);
	}
	p->operations = (int) sim_between(1, p->quorum ? 2 : 3);
}

static void draw_leases(profile *p)
{
	static const int64_t leases[] = {10, 11, 15, 30, 80, 200, 500, 1000, 2500, 6000, 20000};
	int64_t base = pick(leases, sim_chance(90) ? 9 : 11);

	p->most_lease_ms = 0;
	for (int i = 0; i < SIM_CLIENTS; i++) {
		p->lease_ms[i] = sim_chance(70) ? base : pick(leases, 9);
		if (p->lease_ms[i] > p->most_lease_ms) {
			p->most_lease_ms = p->lease_ms[i];
		}
	}
	/* Who looks at the end whether everything works shall not fail because of a short lease. */
	if (p->lease_ms[p->clients] < 1000) {
		p->lease_ms[p->clients] = 1000;
		p->most_lease_ms = p->most_lease_ms < 1000 ? 1000 : p->most_lease_ms;
	}
	p->quorum_max_ttl_ms = sim_chance(50) ? 60000 : p->most_lease_ms;
	/* The quorum keeps fences longer than that by itself. */
	p->retention_ms = sim_chance(50) ? 604800000 : 1000;
}

static void draw_times(profile *p)
{
	static const int64_t delays[][2] = {{20, 80}, {50, 400}, {200, 1500}, {300, 3000}};
	static const int64_t timeouts[] = {20000, 60000, 200000, 1000000};
	int which = (int) sim_between(0, sim_chance(80) ? 2 : 3);

	p->delay_least = delays[which][0];
	p->delay_most = delays[which][1];
	p->timeout_us = pick(timeouts, 4);
	p->connect_timeout_us = sim_chance(70) ? p->timeout_us : pick(timeouts, 4);
	p->retry_for_us = sim_chance(70) ? 10 * SIM_S : sim_spread(0, 500 * SIM_MS);
	p->overloaded = p->timeout_us < 10 * p->delay_most || p->connect_timeout_us < 10 * p->delay_most;
}

static void draw_faults(profile *p)
{
	static const int network = FAULT_SPIKE | FAULT_STALL | FAULT_CUT_BEFORE | FAULT_CUT_AFTER | FAULT_PARTIAL;
	int64_t dice = sim_between(1, 100);

	if (dice <= 20) {
		p->faults = 0;
	} else if (dice <= 50) {
		p->faults = network;
	} else if (dice <= 70) {
		p->faults = FAULT_CRASH | FAULT_HANG;
	} else if (dice <= 95) {
		p->faults = network | FAULT_CRASH | FAULT_HANG | FAULT_PARTITION;
	} else if (dice <= 97) {
		p->faults = FAULT_FULL | network;
	} else {
		p->faults = FAULT_CLOCK | network;
	}
	if (sim_chance(40)) {
		/* Only some of them, so that each gets to happen without the others, too. */
		p->faults &= (int) sim_random();
	}
	p->fault_every = (int) sim_between(5, 60);
	p->fault_most = (int) sim_between(1, 6);
	p->memory = (profile_memory) sim_between(MEMORY_KEPT, MEMORY_MIXED);
	if (p->faults & FAULT_CLOCK) {
		/* A clock that is set back by more than a fence is kept is one that the design does not cover. */
		p->memory = MEMORY_KEPT;
		p->retention_ms = 604800000;
	}
	p->lose_all = sim_chance(15);
}

static void draw_clients(profile *p)
{
	p->pause_every = sim_chance(50) ? 0 : (int) sim_spread(30, 1500);
	p->pause_most = 3 * (p->most_lease_ms < 3000 ? p->most_lease_ms : 3000) * SIM_MS;
	p->signals = sim_chance(70) ? 0 : (int) sim_between(20, 150);
	p->signals_at_wake = sim_chance(90) ? 0 : (int) sim_between(10, 60);
	p->deaths = sim_chance(75) ? 0 : (int) sim_between(10, 60);
	p->forks = sim_chance(80) ? 0 : 30;
	p->clients_set_clocks = sim_chance(20);
	p->long_gap = p->quorum && sim_chance(4) && !(p->faults & FAULT_CLOCK);
	p->no_blpop = sim_chance(2);
	p->most_connections = sim_chance(3) ? (int) sim_between(1, 6) : SIM_CLIENTS * 64;
	p->chosen_tokens = sim_chance(15);
	p->attaches = sim_chance(20);
	p->waits = sim_chance(60);
	p->databases = sim_chance(10);
	p->initialize = sim_chance(4);
	p->no_client = sim_chance(10);
}

void profile_draw(bool quorum)
{
	profile *p = &sim_profile;

	memset(p, 0, sizeof(*p));
	p->quorum = quorum;
	draw_size(p);
	draw_leases(p);
	draw_times(p);
	draw_faults(p);
	draw_clients(p);
}

void profile_trace(void)
{
	const profile *p = &sim_profile;
	char leases[128] = "";

	for (int i = 0; i < p->clients; i++) {
		size_t used = strlen(leases);

		snprintf(leases + used, sizeof(leases) - used, " %lld", (long long) p->lease_ms[i]);
	}
	sim_trace("%s, %d node%s, %d clients; leases%s ms; delays %lld to %lld us; timeouts %lld us, connect %lld us, "
		"retry for %lld us", p->quorum ? "quorum" : "one node", p->nodes, p->nodes == 1 ? "" : "s", p->clients, leases,
		(long long) p->delay_least, (long long) p->delay_most, (long long) p->timeout_us,
		(long long) p->connect_timeout_us, (long long) p->retry_for_us);
	sim_trace("faults 0x%x every %d messages, at most %d; memory %d%s; a pause every %d calls, up to %lld us; "
		"%d %% signals, %d %% deaths%s%s%s%s%s", (unsigned) p->faults, p->fault_every, p->fault_most, (int) p->memory,
		p->lose_all ? " of all nodes together" : "", p->pause_every, (long long) p->pause_most, p->signals, p->deaths,
		p->overloaded ? "; overloaded" : "", p->no_blpop ? "; no BLPOP" : "", p->no_client ? "; no CLIENT" : "", p->long_gap ? "; long gaps" : "",
		p->chosen_tokens ? "; chosen tokens" : "");
}
