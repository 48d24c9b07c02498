/* Nodes that crash, hang, run out of memory, or whose clock is set; and how they come back. */
#include "node.h"

#include "faults.h"
#include "profile.h"
#include "rules.h"

static void lose_memory(node *node, bool all)
{
	profile_memory memory = sim_profile.memory;

	if (memory == MEMORY_MIXED && !all) {
		memory = (profile_memory) sim_between(MEMORY_KEPT, MEMORY_LOST);
	}
	if (memory == MEMORY_KEPT) {
		sim_trace("n%d will come back with its memory", node_number(node));
		return;
	}
	node->lost_at = sim_now;
	if (memory == MEMORY_OLD && node->has_snapshot) {
		sim_counts[SIM_SNAPSHOTS]++;
		sim_trace("n%d will come back with an old snapshot", node_number(node));
		node->store = node->snapshot;
	} else {
		sim_counts[SIM_MEMORY_LOST]++;
		sim_trace("n%d will come back without memory", node_number(node));
		node->store.key_count = 0;
	}
	node->grant.operation = -1;
}

static void crash(node *node, bool all)
{
	int64_t down = sim_chance(50) ? sim_spread(100, 20 * SIM_MS) : faults_long_time();
	bool silent = sim_chance(30);

	if (!node->up) {
		return;
	}
	sim_counts[SIM_CRASHES]++;
	sim_trace("n%d crashes%s, for %.3f ms", node_number(node), silent ? " without a word" : "", (double) down / SIM_MS);
	node->up = false;
	node->silent = silent;
	node->hangs = false;
	node->life++;
	for (int i = 0; i < WIRE_MOST; i++) {
		wire *wire = &wire_all[i];

		if (wire->used && wire->server_open && wire->node == node_number(node)) {
			wire->cut = true;
			wire->bad_until = silent ? SIM_NEVER : wire->bad_until;
			node_close(node, wire, WIRE_RESET, silent);
		}
	}
	lose_memory(node, all);
	faults_disturbed_all(sim_now + down + 4 * sim_profile.delay_most);
	events_add(sim_now + down, EVENT_RESTARTS, node_number(node), node->life, 0);
}

static void restart(node *node)
{
	node_start(node);
	sim_trace("n%d starts again", node_number(node));
	for (int i = 0; i < WIRE_MOST; i++) {
		wire *wire = &wire_all[i];

		/* Connections of before: when the client's kernel sends once more, it hears that there is none. */
		if (wire->used && wire->client_open && !wire->server_open && wire->node == node_number(node) && !wire->connecting
				&& wire->down.end == WIRE_OPEN) {
			events_add(sim_now + wire_delay() + sim_spread(0, 300 * SIM_MS), EVENT_DOWN_END, i, wire->generation,
				WIRE_RESET);
		}
	}
}

static void hang(node *node)
{
	int64_t until = sim_now + faults_long_time();

	sim_counts[SIM_HANGS]++;
	sim_trace("n%d hangs until %.6f", node_number(node), (double) until / SIM_S);
	node->hangs = true;
	faults_disturbed_all(until + 4 * sim_profile.delay_most);
	events_add(until, EVENT_GOES_ON, node_number(node), node->life, 0);
}

/* What came meanwhile is read in any order of the connections; each in its own order. */
static void go_on(node *node)
{
	int first = (int) sim_between(0, WIRE_MOST - 1);

	sim_trace("n%d goes on", node_number(node));
	node->hangs = false;
	for (int i = 0; i < WIRE_MOST && !node->hangs; i++) {
		wire *wire = &wire_all[(first + i) % WIRE_MOST];

		if (wire->used && wire->server_open && wire->node == node_number(node)) {
			node_process_input(wire);
		}
	}
}

static void set_clock(node *node)
{
	int64_t by = sim_spread(SIM_MS, sim_profile.quorum ? 300 * SIM_S : 3600 * SIM_S);

	by = sim_chance(50) ? by : -by;
	sim_counts[SIM_CLOCKS_SET]++;
	sim_trace("n%d: its clock is set by %+.6f s", node_number(node), (double) by / SIM_S);
	node->offset += by;
	rules_clock_set();
	faults_disturbed_all(sim_now);
}

void node_strike(wire *wire, int phase)
{
	node *node = &node_all[wire->node];
	int fault = wire->strike;

	if (phase == wire->strike_phase) {
		wire->strike = 0;
	}
	switch (fault) {
		case FAULT_CRASH:
			if (sim_profile.lose_all) {
				for (int i = 0; i < sim_profile.nodes; i++) {
					crash(&node_all[i], true);
				}
			} else {
				crash(node, false);
			}
			break;
		case FAULT_HANG:
			if (node->up && !node->hangs) {
				hang(node);
			}
			break;
		case FAULT_FULL:
			sim_counts[SIM_FULL]++;
			sim_trace("n%d: its memory is full", node_number(node));
			node->store.full = true;
			faults_disturbed_all(sim_now);
			events_add(sim_now + faults_long_time(), EVENT_DRAINED, node_number(node), node->life, 0);
			break;
		case FAULT_CLOCK:
			set_clock(node);
			break;
		default:
			break;
	}
}

static void drain(node *node)
{
	sim_trace("n%d: its memory is no longer full", node_number(node));
	node->store.full = false;
	faults_disturbed_all(sim_now);
}

void node_event(const event *event)
{
	node *node = &node_all[event->subject];

	if (event->generation != node->life) {
		return;
	}
	if (event->kind == EVENT_RESTARTS) {
		restart(node);
	} else if (event->kind == EVENT_GOES_ON) {
		go_on(node);
	} else {
		drain(node);
	}
}

void node_heal_all(void)
{
	for (int i = 0; i < sim_profile.nodes; i++) {
		node *node = &node_all[i];

		if (!node->up) {
			restart(node);
		}
		if (node->hangs) {
			go_on(node);
		}
		if (node->store.full) {
			drain(node);
		}
	}
}
