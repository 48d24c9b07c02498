#include "schedule.h"

#include "faults.h"
#include "process.h"
#include "profile.h"
#include "program.h"
#include "rules.h"
#include "script.h"

#include <stdio.h>
#include <string.h>

enum { MOST_EVENTS = 1000 * 1000 };

void schedule_begin(void)
{
	script_begin();
}

/* The nodes of the quorum are in service already, as after initializeQuorum(). */
static void put_into_service(void)
{
	static const char key[] = "{p:}:redislock:node";

	for (int i = 0; i < sim_profile.nodes; i++) {
		char value[64];
		store_text set[3] = {{"SET", 3}, {key, sizeof(key) - 1}, {value, 0}};

		set[2].length = (size_t) snprintf(value, sizeof(value), "%s 0", node_all[i].run_id);
		store_run(&node_all[i].store, set, 3);
	}
}

static void plan_signals(void)
{
	for (int i = 0; i < sim_profile.clients; i++) {
		if (sim_chance(sim_profile.signals)) {
			int64_t most = 4 * sim_profile.most_lease_ms * SIM_MS;

			events_add(sim_spread(1, most < 5 * SIM_S ? most : 5 * SIM_S), EVENT_SIGNAL, i, 0,
				sim_chance(70) + 2 * sim_chance(sim_profile.forks));
		}
	}
}

static void begin(uint64_t seed, bool quorum, bool trace)
{
	sim_begin(seed, trace);
	events_clear();
	profile_draw(quorum);
	profile_trace();
	wire_clear();
	node_begin(sim_profile.nodes);
	process_begin(sim_profile.clients + 1);
	faults_begin();
	rules_begin();
	program_begin();
	if (quorum && !sim_profile.initialize) {
		put_into_service();
	}
	for (int i = 0; i < sim_profile.clients; i++) {
		process_start(i, program_work);
	}
	plan_signals();
}

static void dispatch(const event *event)
{
	switch (event->kind) {
		case EVENT_WAKE:
		case EVENT_SIGNAL:
			process_event(event);
			break;
		case EVENT_GOES_ON:
		case EVENT_RESTARTS:
		case EVENT_DRAINED:
			node_event(event);
			break;
		case EVENT_WAKE_UP_DUE:
			rules_wake_up_due(event->generation);
			break;
		default:
			wire_event(event);
			break;
	}
}

const char *schedule_run(uint64_t seed, bool quorum, bool trace)
{
	bool looking = false;
	int events = 0;
	event next;

	begin(seed, quorum, trace);
	while (sim_broken() == NULL && events_take(&next)) {
		sim_now = next.time;
		sim_mix((uint64_t) next.time ^ (uint64_t) next.kind << 56);
		if (++events == MOST_EVENTS) {
			sim_break("time: the schedule does not end");
		}
		dispatch(&next);
		if (!process_all_finished()) {
			continue;
		}
		if (looking) {
			break;
		}
		looking = true;
		faults_end();
		sim_trace("all are finished; everything works again");
		node_heal_all();
		process_start(sim_profile.clients, program_look);
	}
	process_end_all();
	sim_counts[SIM_EVENTS] += events;
	return sim_broken();
}
