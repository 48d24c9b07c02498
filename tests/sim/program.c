#include "program.h"

#include "faults.h"
#include "profile.h"
#include "rules.h"

#include "rl_quorum.h"

#include <stdio.h>
#include <string.h>

/* A token that was given up for others to attach to. */
static char mail[RL_TOKEN_MAX_CHOSEN];
static size_t mail_length;

void program_begin(void)
{
	mail_length = 0;
}

static int64_t lease_us(const process *process)
{
	return sim_profile.lease_ms[process->id] * SIM_MS;
}

static void make_lock(process *process)
{
	rl_lock_init(&process->lock, process->client.prefix, rl_slice_text("n"), sim_profile.lease_ms[process->id],
		&process->error);
	process->has_lock = true;
	process->seen_valid_until = 0;
	process->acquired_by = -1;
}

/* The object is destroyed: what it holds is given back without waiting. */
static void abandon(process *process)
{
	rules_operation_begins(process, OPERATION_ABANDON, 0, process->acquired_by);
	rl_lock_abandon(&process->lock, &process->client);
	rules_operation_ends(process, RL_OK);
	rl_lock_free(&process->lock);
	process->has_lock = false;
	make_lock(process);
}

static rl_status release(process *process)
{
	rl_status status;

	rules_operation_begins(process, OPERATION_RELEASE, 0, process->acquired_by);
	status = rl_lock_release(&process->lock, &process->client, &process->error);
	rules_operation_ends(process, status);
	return status;
}

static void renew(process *process)
{
	int64_t lease_ms = sim_profile.lease_ms[sim_chance(70) ? process->id : (int) sim_between(0, 1)];

	rules_operation_begins(process, OPERATION_RENEW, 0, process->acquired_by);
	rules_operation_ends(process, rl_lock_renew(&process->lock, &process->client, lease_ms, &process->error));
}

static rl_status acquire(process *process, int64_t wait_ms)
{
	char text[16];
	rl_slice chosen = {text, 0};
	rl_status status;

	if (sim_profile.chosen_tokens && sim_chance(60)) {
		/* One of its own, or one that others use as well. */
		chosen.length = (size_t) snprintf(text, sizeof(text), "chosen-%d", sim_chance(70) ? process->id : 9);
	}
	rules_operation_begins(process, OPERATION_ACQUIRE, wait_ms * SIM_MS, -1);
	status = rl_lock_acquire(&process->lock, &process->client, wait_ms, chosen.length > 0 ? &chosen : NULL,
		&process->error);
	rules_operation_ends(process, status);
	return status;
}

static rl_status attach(process *process)
{
	char token[RL_TOKEN_MAX_CHOSEN];
	rl_slice slice = {token, mail_length};
	rl_status status;

	memcpy(token, mail, mail_length);
	if (sim_chance(40)) {
		mail_length = 0;
	}
	rules_operation_begins(process, OPERATION_ATTACH, 0, -1);
	status = rl_lock_attach(&process->lock, &process->client, slice, &process->error);
	rules_operation_ends(process, status);
	return status;
}

static void use_token(process *process)
{
	char token[RL_TOKEN_MAX_CHOSEN];
	rl_slice slice = {token, mail_length};
	rl_inspection inspection;
	rl_status status;

	memcpy(token, mail, mail_length);
	switch (sim_between(0, 2)) {
		case 0:
			rules_operation_begins(process, OPERATION_TOKEN_RENEW, 0, -1);
			status = rl_token_renew(&process->client, &process->lock.keys, slice, sim_profile.lease_ms[process->id],
				&process->error);
			break;
		case 1:
			rules_operation_begins(process, OPERATION_TOKEN_RELEASE, 0, -1);
			rules_given_back((store_text) {token, slice.length});
			status = rl_token_release(&process->client, &process->lock.keys, slice, &process->error);
			break;
		default:
			rules_operation_begins(process, OPERATION_INSPECT, 0, -1);
			status = rl_inspect(&process->client, &process->lock.keys, &inspection, &process->error);
			rl_buffer_free(&inspection.token);
			break;
	}
	rules_operation_ends(process, status);
}

/* Ends the ownership here, so that another process can attach. */
static void detach(process *process)
{
	sim_trace("c%d: detach", process->id);
	mail_length = process->lock.token_length;
	memcpy(mail, process->lock.token, mail_length);
	rl_lock_forget(&process->lock);
	process->relies = false;
	process->seen_valid_until = 0;
	process->granted_length = 0;
}

/* How long a wait for the lock is. */
static int64_t draw_wait_ms(const process *process)
{
	int64_t lease_ms = sim_profile.lease_ms[process->id];

	if (sim_chance(sim_profile.waits ? 20 : 60)) {
		return 0;
	}
	lease_ms = lease_ms > 2000 ? 2000 : lease_ms;
	if (sim_profile.quorum) {
		return sim_spread(1, 2 * lease_ms + 50);
	}
	return sim_profile.waits ? sim_spread(1, 4 * lease_ms + 3000) : sim_spread(1, 2 * lease_ms + 100);
}

/* Works under the lock. */
static void hold(process *process)
{
	int64_t lease = lease_us(process) < 3 * SIM_S ? lease_us(process) : 3 * SIM_S;
	int64_t rest = sim_chance(50) ? sim_spread(0, lease) : sim_between(0, lease + lease / 4);

	while (rest > 0 && !process->dead) {
		int64_t part = sim_chance(60) ? rest : sim_between(0, rest);

		process_sleep(process, part);
		rest -= part;
		if (sim_chance(25) && !process->dead && process->lock.token != NULL) {
			renew(process);
		}
	}
}

static void give_up(process *process)
{
	int64_t dice = sim_between(1, 100);
	rl_status status;

	if (process->lock.token == NULL) {
		return;
	}
	if (sim_profile.attaches && sim_chance(35) && rl_lock_is_held(&process->lock, &process->client)) {
		detach(process);
		return;
	}
	if (dice <= 10) {
		abandon(process);
		return;
	}
	if (dice <= 16) {
		/* Forgotten: its lease ends it. */
		return;
	}
	if (dice <= 22) {
		process_sleep(process, lease_us(process) < 3 * SIM_S ? lease_us(process) : 3 * SIM_S);
	}
	status = release(process);
	if (status != RL_OK && status != RL_NO && !process->dead) {
		if (sim_chance(50)) {
			release(process);
		} else if (sim_chance(50)) {
			abandon(process);
		}
	}
}

static void try_once(process *process)
{
	bool attaches = sim_profile.attaches && mail_length > 0 && sim_chance(60);
	rl_status status;

	if (mail_length > 0 && sim_chance(5)) {
		use_token(process);
	}
	if (!process->dead && rl_lock_is_held(&process->lock, &process->client)) {
		/* Forgotten before: neither acquire() nor attach() is allowed while the lock is held. */
		if (sim_chance(50)) {
			process_sleep(process, process_when(process, process->lock.valid_until) + 1 - sim_now);
		} else {
			abandon(process);
		}
	}
	if (process->dead) {
		return;
	}
	status = attaches ? attach(process) : acquire(process, draw_wait_ms(process));
	if (process->dead) {
		return;
	}
	if (status == RL_OK) {
		hold(process);
		if (!process->dead) {
			give_up(process);
		}
	} else if (status != RL_NO) {
		if (sim_chance(30)) {
			release(process);
		} else if (sim_chance(40)) {
			abandon(process);
		}
	}
}

static void think(process *process)
{
	int64_t lease = lease_us(process) < 3 * SIM_S ? lease_us(process) : 3 * SIM_S;

	if (sim_profile.long_gap && sim_chance(40)) {
		/* Longer than fences are kept on a quorum. */
		process_sleep(process, sim_between(500, 2000) * SIM_S);
	} else if (sim_chance(60)) {
		process_sleep(process, sim_spread(1, 2 * lease));
	}
}

/* A signal handler may use another lock, in the middle of a call (DESIGN, section 3). */
static void handle_signal(process *process)
{
	rl_error error;
	rl_lock lock;

	sim_trace("c%d: the handler of its signal takes another lock", process->id);
	rl_lock_init(&lock, process->client.prefix, rl_slice_text("other"), sim_profile.lease_ms[process->id], &error);
	if (rl_lock_acquire(&lock, &process->client, sim_chance(50) ? 0 : 50, NULL, &error) == RL_OK) {
		rl_lock_release(&lock, &process->client, &error);
	}
	rl_lock_free(&lock);
}

void program_work(process *process)
{
	int operations = (int) sim_between(1, 2 * sim_profile.operations - 1);

	make_lock(process);
	process->handler = sim_chance(30) ? handle_signal : NULL;
	if (sim_profile.quorum && sim_profile.initialize && process->id == 0) {
		rules_operation_begins(process, OPERATION_INITIALIZE, 0, -1);
		rules_operation_ends(process, rl_quorum_initialize(&process->client, &process->error));
	}
	while (operations-- > 0 && !process->dead) {
		think(process);
		try_once(process);
		if (sim_chance(8) && !process->dead) {
			rl_pool_end_request(process->pool);
		}
	}
	if (!process->dead && rl_lock_owes_release(&process->lock, &process->client)) {
		/* The end of the script. */
		abandon(process);
	}
}

/* False: the lock could not be had. */
static bool look_once(process *process, bool must)
{
	rl_status status = acquire(process, 0);

	if (status != RL_OK && must) {
		sim_break("the end: all is well and nobody holds the lock, and it cannot be had: %s",
			status == RL_NO ? "held" : process->error.message);
	}
	if (status == RL_OK && release(process) != RL_OK && must) {
		sim_break("the end: all is well, and the lock cannot be given back: %s", process->error.message);
	}
	return status == RL_OK;
}

void program_look(process *process)
{
	bool must = sim_profile.most_connections > SIM_CLIENTS * 4 && rules_are_leases_kept();
	bool sat_out = false;

	process->death_in = process->pause_in = 0;
	/* What is late has come by then, and its lease is over. */
	process_sleep(process, 60 * SIM_S + sim_profile.most_lease_ms * 1020);
	rules_nothing_is_locked();
	process->client.timeout_us = process->client.connect_timeout_us = SIM_S;
	make_lock(process);
	sim_profile.chosen_tokens = false;
	for (int i = 0; i < sim_profile.nodes; i++) {
		/* A node sits out from the first time that it is asked. */
		sat_out = sat_out || (sim_profile.quorum && (node_all[i].life > 1 || sim_profile.initialize));
	}
	if (!look_once(process, must && !sat_out) || sat_out) {
		/* A call that cannot get a majority any more does not wait until it has asked everybody. */
		for (int i = 0; i < 2 && !look_once(process, false); i++) {
			process_sleep(process, SIM_S);
		}
		process_sleep(process, (sim_profile.quorum_max_ttl_ms + 121 * 1000) * 1010);
		look_once(process, must);
	}
}
