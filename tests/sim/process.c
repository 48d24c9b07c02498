#include "process.h"

#include "faults.h"
#include "profile.h"
#include "rules.h"

#include "rl_clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* Calls of poll() that need not wait, one after the other: far more than there can be a reason for. */
	SPINS = 2000
};

process process_all[SIM_CLIENTS];
operation operation_all[PROCESS_OPERATIONS];
int operation_count;
process *process_current;

static void (*programs[SIM_CLIENTS])(process *process);
static int count;

static token_record tokens[SIM_CLIENTS][PROCESS_TOKENS];

/* One endpoint per process, node and variant: parsed once, and as it was then for every schedule. */
static rl_endpoint *endpoints[SIM_CLIENTS][SIM_NODES][2];
static rl_endpoint as_parsed[SIM_CLIENTS][SIM_NODES][2];

store_text process_lock_key(void)
{
	return (store_text) {"p:n", 3};
}

store_text process_wake_key(void)
{
	static const char key[] = "{p:n}:redislock:wake";

	return (store_text) {key, sizeof(key) - 1};
}

int64_t process_clock(const process *process)
{
	if (process->dead) {
		return process->dead_time;
	}
	return process->clock_base + sim_now + sim_now * process->rate / SIM_S;
}

int64_t process_wall(const process *process)
{
	return INT64_C(1790000000000000) + process->wall_offset + sim_now + sim_now * process->rate / SIM_S;
}

int64_t process_when(const process *process, int64_t clock)
{
	int64_t left = clock - process_clock(process);

	return sim_now + left - left * process->rate / (SIM_S + process->rate);
}

process *process_of_token(store_text token, int *number)
{
	char digits[9] = "";
	unsigned long head;

	if (token.length != RL_TOKEN_LENGTH || token.data[0] == 'c') {
		return NULL;
	}
	memcpy(digits, token.data, 8);
	head = strtoul(digits, NULL, 16);
	*number = (int) (head & 0xffff);
	return &process_all[head >> 24];
}

static int64_t hook_now(void *context)
{
	(void) context;
	return rl_clock_now();
}

static int64_t hook_wall(void *context)
{
	(void) context;
	return rl_clock_wall();
}

static int hook_process(void *context)
{
	const process *process = context;

	return process->pid;
}

/* Tokens tell who made them, so that the rules know whose a lock is. */
static bool hook_random(void *context, void *bytes, size_t length)
{
	process *process = context;
	unsigned char *to = bytes;

	process_step(process);
	for (size_t i = 0; i < length; i++) {
		to[i] = (unsigned char) sim_random();
	}
	if (length == RL_TOKEN_LENGTH / 2 && process->in_handler) {
		/* Of another lock: it looks like a chosen one. */
		to[0] = 0xc0;
	} else if (length == RL_TOKEN_LENGTH / 2) {
		if (process->token_count == PROCESS_TOKENS) {
			abort();
		}
		to[0] = (unsigned char) process->id;
		to[1] = 0;
		to[2] = (unsigned char) (process->token_count >> 8);
		to[3] = (unsigned char) process->token_count;
		process->tokens[process->token_count++] = (token_record) {.operation = process->operation};
		rules_new_token(process);
	}
	return true;
}

/* The process is a forked child from here on. Its parent has stopped for ever, with copies of the connections. */
static void fork_away(process *process)
{
	sim_counts[SIM_FORKS]++;
	sim_trace("c%d is forked, and goes on as the child", process->id);
	process->pid += 1000;
	for (int i = 0; i < WIRE_MOST; i++) {
		if (wire_all[i].used && wire_all[i].client == process->id) {
			wire_all[i].orphan = true;
		}
	}
	for (int i = 0; i < process->token_count; i++) {
		process->tokens[i].owned = true;
	}
	if (process->operation >= 0) {
		operation_all[process->operation].forked = true;
	}
	faults_disturbed(process->id, sim_now);
	faults_disturbed_all(sim_now);
}

static bool hook_interrupted(void *context)
{
	process *process = context;
	bool throws = process->signal_throws;

	process_step(process);
	if (process->dead) {
		return true;
	}
	if (!process->signal) {
		return false;
	}
	process->signal = false;
	if (process->signal_forks) {
		process->signal_forks = false;
		fork_away(process);
	}
	if (process->handler != NULL) {
		void (*handler)(struct process *process) = process->handler;
		int64_t before = process_clock(process);

		/* Once, and the time that it takes is not the call's. */
		process->handler = NULL;
		process->in_handler = true;
		handler(process);
		process->in_handler = false;
		process->paused_us += process_clock(process) - before;
		faults_disturbed(process->id, sim_now);
	}
	sim_trace("c%d: the handler of its signal %s", process->id, throws ? "throws" : "returns");
	return throws || process->dead;
}

static rl_endpoint *get_endpoint(int client, int node)
{
	bool database = sim_profile.databases && client % 2 == 1;
	rl_endpoint **place = &endpoints[client][node][database];
	rl_endpoint *fresh = &as_parsed[client][node][database];
	rl_error error;

	if (*place == NULL) {
		char dsn[64];

		snprintf(dsn, sizeof(dsn), "unix:///%d?db=%d", node, database);
		*place = rl_endpoint_parse(dsn, strlen(dsn), &error);
		if (*place == NULL) {
			fprintf(stderr, "tests/sim: %s\n", error.message);
			abort();
		}
		*fresh = **place;
	}
	/* What an earlier schedule has learned of the server would make this one another one than its seed says. */
	fresh->references = (*place)->references;
	**place = *fresh;
	(*place)->persistent = true;
	return *place;
}

static int64_t draw_wall_offset(void)
{
	static const int64_t most[] = {2, 50, 65, 130, 600, 36000};
	int64_t by;

	if (sim_chance(30)) {
		return sim_between(0, 20 * SIM_MS);
	}
	by = sim_between(0, most[sim_between(0, 5)] * SIM_S);
	return sim_chance(50) ? by : -by;
}

static void prepare(process *process)
{
	const profile *p = &sim_profile;
	int id = process->id;
	fiber *fiber = process->fiber;

	memset(process, 0, sizeof(*process));
	process->id = id;
	process->fiber = fiber;
	process->pid = 100 + id;
	process->tokens = tokens[id];
	process->finished = true;
	process->operation = process->acquired_by = -1;
	process->clock_base = sim_between(SIM_S, 1000000 * SIM_S);
	process->rate = sim_chance(40) ? 0 : sim_chance(50) ? sim_between(-5000, 5000) : sim_chance(50) ? 5000 : -5000;
	process->wall_offset = draw_wall_offset();
	process->pause_in = p->pause_every == 0 ? 0 : (int) sim_between(1, 2 * p->pause_every);
	process->death_in = sim_chance(p->deaths) ? (int) sim_spread(1, 600) : 0;
	process->runtime = (rl_runtime) {
		.context = process,
		.now = hook_now,
		.wall = hook_wall,
		.process = hook_process,
		.random = hook_random,
		.interrupted = hook_interrupted,
		.transport = &rl_pool_transport
	};
	for (int i = 0; i < p->nodes; i++) {
		process->nodes[i].endpoint = get_endpoint(id, i);
	}
	process->client = (rl_client) {
		.runtime = &process->runtime,
		.endpoint = process->nodes[0].endpoint,
		.nodes = p->quorum ? process->nodes : NULL,
		.node_count = p->quorum ? p->nodes : 0,
		.quorum_max_ttl_ms = p->quorum_max_ttl_ms,
		.prefix = {"p:", 2},
		.connect_timeout_us = p->connect_timeout_us,
		.timeout_us = p->timeout_us,
		.retry_for_us = p->retry_for_us,
		.retention_ms = p->retention_ms
	};
}

void process_begin(int clients)
{
	count = clients;
	operation_count = 0;
	process_current = NULL;
	for (int i = 0; i < clients; i++) {
		process_all[i].id = i;
		prepare(&process_all[i]);
	}
}

/* What runs on the stack of a process. */
static void live(void *context)
{
	process *process = context;

	process->pool = rl_pool_new();
	process->runtime.connections = process->pool;
	programs[process->id](process);
	if (process->has_lock) {
		rl_lock_free(&process->lock);
		process->has_lock = false;
	}
	process->ends = true;
	/* A process that ends by itself reads what is still to come, for a short while; a dead one does not. */
	rl_pool_free(process->pool);
}

static void wake(process *process, int64_t when)
{
	process->wake_at = when;
	events_add(when, EVENT_WAKE, process->id, ++process->wake, 0);
}

void process_start(int i, void (*program)(process *process))
{
	process *process = &process_all[i];

	if (process->fiber == NULL) {
		process->fiber = fiber_new(live, process);
	}
	programs[i] = program;
	process->finished = false;
	wake(process, sim_now);
}

static void go_on(process *process)
{
	process_current = process;
	process->finished = !fiber_enter(process->fiber);
	process_current = NULL;
	if (process->finished) {
		rules_process_ended(process);
	}
}

void process_event(const event *event)
{
	process *process = &process_all[event->subject];

	if (process->finished || (event->kind == EVENT_WAKE && event->generation != process->wake)) {
		return;
	}
	if (event->kind == EVENT_WAKE) {
		go_on(process);
		return;
	}
	sim_trace("c%d gets a signal", process->id);
	process->signal = true;
	process->signal_throws = event->value % 2 == 1;
	process->signal_forks = event->value >= 2;
	if (process->in_poll && !process->paused) {
		wake(process, sim_now);
	}
}

bool process_all_finished(void)
{
	for (int i = 0; i < count; i++) {
		if (!process_all[i].finished) {
			return false;
		}
	}
	return true;
}

/* Stops the process until then; what it was waiting for goes on. */
static void suspend(process *process, int64_t until)
{
	if (until == SIM_NEVER) {
		process->wake++;
	} else {
		wake(process, until);
	}
	fiber_leave();
}

void process_sleep(process *process, int64_t us)
{
	if (!process->dead) {
		suspend(process, sim_now + us);
		rules_observe(process);
	}
}

void process_die(process *process, bool loud)
{
	if (process->dead) {
		return;
	}
	sim_counts[SIM_DEATHS]++;
	sim_trace("c%d %s", process->id, loud ? "is killed" : "stops for ever");
	rules_died(process, loud);
	for (int i = 0; i < WIRE_MOST; i++) {
		wire *wire = &wire_all[i];

		if (wire->used && wire->client == process->id && wire->client_open) {
			wire->orphan = wire->orphan || !loud;
			wire_close(wire);
		}
	}
	process->dead_time = process_clock(process);
	process->dead = true;
}

void process_end_all(void)
{
	for (int i = 0; i < count; i++) {
		process *process = &process_all[i];

		if (!process->finished) {
			process->dead_time = process_clock(process);
			process->dead = true;
			while (!process->finished) {
				go_on(process);
			}
		}
	}
}

static void pause_here(process *process)
{
	int64_t us = sim_spread(5, sim_profile.pause_most);
	int64_t before = process_clock(process);

	process->pause_in = (int) sim_between(1, 2 * sim_profile.pause_every);
	sim_counts[SIM_PAUSES]++;
	if (us > sim_profile.lease_ms[process->id] * SIM_MS) {
		sim_counts[SIM_LONG_PAUSES]++;
	}
	sim_trace("c%d is stopped for %.3f ms", process->id, (double) us / SIM_MS);
	process->paused = true;
	faults_disturbed(process->id, sim_now);
	suspend(process, sim_now + us);
	process->paused = false;
	process->paused_us += process_clock(process) - before;
	faults_disturbed(process->id, sim_now);
	sim_trace("c%d goes on", process->id);
}

void process_step(process *process)
{
	if (process->dead) {
		process->dead_time += 10 * SIM_MS;
		return;
	}
	rules_observe(process);
	if (process->death_in > 0 && --process->death_in == 0) {
		process_die(process, sim_chance(60));
		return;
	}
	if (process->pause_in > 0 && --process->pause_in == 0) {
		if (sim_profile.clients_set_clocks && sim_chance(30)) {
			process->wall_offset = draw_wall_offset();
			sim_trace("c%d: its wall clock is set to %+.3f s", process->id, (double) process->wall_offset / SIM_S);
		}
		pause_here(process);
	}
}

static bool is_ready(const process *process)
{
	for (int i = 0; i < process->watched_count; i++) {
		if (process->watched[i] >= 0) {
			return true;
		}
	}
	return false;
}

/* watched[]: number of a wire that is ready, ~number of one that is not. process_readable() turns that round. */
int process_poll(process *process, int timeout_ms)
{
	int64_t until;

	if (process->dead) {
		process->dead_time += timeout_ms * SIM_MS;
		return 0;
	}
	if (is_ready(process) || timeout_ms == 0) {
		if (++process->spins == SPINS) {
			sim_break("time: c%d calls poll() again and again, and never waits", process->id);
			process_die(process, true);
		}
		return 0;
	}
	process->spins = 0;
	until = process_when(process, process_clock(process) + timeout_ms * SIM_MS) + 1;
	/* The scheduler of its machine takes a moment, too. */
	until += sim_between(0, 60);
	process->in_poll = true;
	suspend(process, until);
	process->in_poll = false;
	rules_observe(process);
	if (process->signal && !is_ready(process)) {
		errno = EINTR;
		return -1;
	}
	return 0;
}

void process_readable(wire *wire)
{
	process *process = &process_all[wire->client];

	if (!process->in_poll || process->dead) {
		return;
	}
	for (int i = 0; i < process->watched_count; i++) {
		if (process->watched[i] == ~wire_number(wire)) {
			process->watched[i] = wire_number(wire);
			if (!process->paused) {
				int64_t when = sim_now + sim_between(0, 60);

				if (when < process->wake_at) {
					wake(process, when);
				}
			}
		}
	}
}
