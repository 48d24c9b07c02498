#include "rules.h"

#include "faults.h"
#include "profile.h"

/*
 * On one node a waiter does not poll, so it must be woken, or find out by itself in time:
 *
 * - A lock that nobody holds is got by somebody within two seconds, if somebody waits. That is also "no lock is stuck
 *   while a waiter waits longer than lease + 2 s": until then somebody holds it.
 * - When the lock is given back and everybody who waits is well, somebody has it after a few messages: the wake-up is
 *   neither lost nor kept by somebody who leaves.
 *
 * Both are promised to a waiter that is well: it was not stopped, its messages are in time, and so are the node's.
 */
enum {
	IDLE_US = 2000 * 1000,
	/* A waiter that leaves waits 20 ms for a wake-up on its way; there may be several of them one after the other. */
	WAKE_UP_US = 150 * 1000,
	MESSAGES = 40
};

static int64_t held_until;
static uint32_t watched;          /* counts the wake-ups that are watched */
static bool watching;
static int64_t watched_since;
static int waiting[SIM_CLIENTS];  /* the operations that wait for it; -1: none */

void rules_progress_begin(void)
{
	held_until = 0;
	watching = false;
	watched = 0;
}

static bool applies(void)
{
	const profile *p = &sim_profile;

	return !p->quorum && !p->overloaded && p->most_connections > SIM_CLIENTS * 4;
}

static const operation *operation_of(const process *process)
{
	return process->operation < 0 ? NULL : &operation_all[process->operation];
}

static bool waits(const process *process)
{
	const operation *operation = operation_of(process);

	return operation != NULL && operation->kind == OPERATION_ACQUIRE && operation->wait_us > 0 && !process->dead
		&& !process->finished;
}

/* Whether one of its connections is silent, other than the one that is blocked: that one does not matter. */
static bool has_bad_connection(const process *process)
{
	for (int i = 0; i < WIRE_MOST; i++) {
		const wire *wire = &wire_all[i];

		if (wire->used && wire->client == process->id && wire->client_open && wire->bad_until > sim_now
				&& !wire->carries_block) {
			return true;
		}
	}
	return false;
}

static int64_t latest(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

void rules_progress_check(const process *process)
{
	const operation *operation = operation_of(process);
	int64_t now = sim_now;
	int64_t since, end;

	if (!applies() || !waits(process) || process->paused || node_all[0].hangs || !node_all[0].up
			|| node_all[0].store.full || has_bad_connection(process)) {
		return;
	}
	/* The deadline is when its own clock says so. */
	end = process_when(process, process->operation_clock + operation->wait_us);
	now = now < end ? now : end;
	since = latest(latest(held_until, operation->started), latest(process->disturbed_until, faults_calm_since()));
	if (now - since > IDLE_US + MESSAGES * sim_profile.delay_most) {
		sim_break("stuck: c%d waits, and nobody has held the lock for %.3f s", process->id,
			(double) (now - since) / SIM_S);
	}
}

static void check_all(void)
{
	if (!applies()) {
		return;
	}
	for (int i = 0; i < sim_profile.clients; i++) {
		rules_progress_check(&process_all[i]);
	}
}

void rules_progress_held(int64_t until)
{
	held_until = until;
}

void rules_progress_granted(void)
{
	check_all();
	watching = false;
}

/* Undisturbed since its call began. */
static bool is_well(const process *process)
{
	const operation *operation = operation_of(process);

	return waits(process) && !process->paused && process->disturbed_until < operation->started
		&& faults_calm_since() < operation->started && !has_bad_connection(process);
}

void rules_progress_freed(const node *node, bool by_release)
{
	bool all_well = true;

	held_until = held_until < sim_now ? held_until : sim_now;
	if (!applies() || !by_release || sim_profile.no_blpop || node->store.full || node->blocked_count == 0) {
		return;
	}
	for (int i = 0; i < SIM_CLIENTS; i++) {
		waiting[i] = -1;
	}
	for (int i = 0; i < node->blocked_count; i++) {
		const wire *wire = &wire_all[node->blocked[i]];
		const process *process = &process_all[wire->client];

		if (!wire->client_open || wire->bad_until > sim_now || wire->cut || wire->orphan || !is_well(process)) {
			all_well = false;
		} else {
			waiting[wire->client] = process->operation;
		}
	}
	watching = all_well;
	if (all_well) {
		sim_counts[SIM_WAKE_UPS_WATCHED]++;
		watched_since = sim_now;
		events_add(sim_now + WAKE_UP_US + MESSAGES * sim_profile.delay_most, EVENT_WAKE_UP_DUE, 0, ++watched, 0);
	}
}

void rules_wake_up_due(uint32_t which)
{
	const process *left_waiting = NULL;

	if (!watching || which != watched || faults_calm_since() >= watched_since) {
		return;
	}
	for (int i = 0; i < SIM_CLIENTS; i++) {
		const process *process = &process_all[i];

		if (waiting[i] < 0) {
			continue;
		}
		if (process->dead || process->disturbed_until >= watched_since) {
			return;
		}
		if (process->operation == waiting[i] && process_clock(process)
				< process->operation_clock + operation_all[waiting[i]].wait_us) {
			left_waiting = process;
		}
	}
	if (left_waiting != NULL) {
		sim_break("wake-up: the lock was given back at %.6f, c%d waits for it, and nobody has it",
			(double) watched_since / SIM_S, left_waiting->id);
	}
}
