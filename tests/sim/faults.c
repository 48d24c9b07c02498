#include "faults.h"

#include "process.h"
#include "profile.h"

static int countdown;
static int left;
static int64_t calm_since;

static int next_fault(void)
{
	return (int) sim_between(1, 2 * sim_profile.fault_every);
}

void faults_begin(void)
{
	countdown = next_fault();
	left = sim_profile.faults == 0 ? 0 : sim_profile.fault_most;
	calm_since = 0;
}

void faults_end(void)
{
	left = 0;
}

static int pick_kind(void)
{
	int kinds = 0;
	int64_t which;

	for (int rest = sim_profile.faults; rest != 0; rest &= rest - 1) {
		kinds++;
	}
	which = sim_between(0, kinds - 1);
	for (int kind = 1;; kind *= 2) {
		if ((sim_profile.faults & kind) && which-- == 0) {
			return kind;
		}
	}
}

int faults_of_message(const wire *wire)
{
	int kind;

	if (left == 0 || --countdown > 0) {
		return 0;
	}
	left--;
	countdown = next_fault();
	kind = pick_kind();
	if (kind == FAULT_PARTITION) {
		int64_t until = sim_now + faults_long_time();

		sim_counts[SIM_PARTITIONS]++;
		sim_trace("   network: c%d and n%d do not hear each other until %.6f", wire->client, wire->node,
			(double) until / SIM_S);
		wire_partition(wire->client, wire->node, until);
		faults_disturbed(wire->client, until);
	} else {
		faults_disturbed(wire->client, sim_now);
	}
	return kind;
}

int64_t faults_long_time(void)
{
	int64_t lease = sim_profile.most_lease_ms * SIM_MS;
	int64_t base = lease < sim_profile.timeout_us || sim_chance(30) ? sim_profile.timeout_us : lease;

	if (base > 5 * SIM_S) {
		base = 5 * SIM_S;
	}
	return sim_spread(500, 3 * base);
}

void faults_disturbed(int client, int64_t until)
{
	process *process = &process_all[client];

	if (until > process->disturbed_until) {
		process->disturbed_until = until;
	}
}

void faults_disturbed_all(int64_t until)
{
	if (until > calm_since) {
		calm_since = until;
	}
}

int64_t faults_calm_since(void)
{
	return calm_since;
}
