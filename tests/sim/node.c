#include "node.h"

#include "faults.h"
#include "process.h"
#include "profile.h"
#include "rules.h"
#include "script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 40 };

/* 2026 or so: fences have as many digits as in real life. */
static const int64_t epoch = INT64_C(1790000000000000);

node node_all[SIM_NODES];
static long client_numbers;

int node_number(const node *node)
{
	return (int) (node - node_all);
}

int64_t node_clock(const node *node)
{
	return epoch + node->offset + sim_now + sim_now * node->rate / SIM_S;
}

int64_t node_when_over(const node *node, int64_t ms)
{
	int64_t left = (ms + 1) * SIM_MS - node_clock(node);

	return sim_now + left - left * node->rate / SIM_S;
}

store_key *node_lock(node *node)
{
	node->store.time_us = node_clock(node);
	return store_find(&node->store, process_lock_key());
}

void node_start(node *node)
{
	static const char digits[] = "0123456789abcdef";

	node->up = true;
	node->silent = node->hangs = false;
	node->life++;
	node->connections = 0;
	node->blocked_count = 0;
	node->store.full = false;
	memset(node->known, 0, sizeof(node->known));
	for (int i = 0; i < 40; i++) {
		node->run_id[i] = digits[sim_random() % 16];
	}
}

/* The wall clocks of servers differ; see profile.c and the README of this folder for how much they may. */
static int64_t draw_offset(void)
{
	const profile *p = &sim_profile;
	int64_t most = 3600 * SIM_S;

	if (p->quorum && (p->memory != MEMORY_KEPT || p->long_gap)) {
		most = p->quorum_max_ttl_ms * SIM_MS * 2 / 5;
		most = most < 20 * SIM_S ? most : 20 * SIM_S;
	}
	return sim_chance(40) ? 0 : sim_chance(50) ? sim_spread(0, most) : -sim_spread(0, most);
}

void node_begin(int count)
{
	client_numbers = 0;
	for (int i = 0; i < count; i++) {
		node *node = &node_all[i];

		node->store.key_count = 0;
		node->has_snapshot = false;
		node->snapshot_in = (int) sim_between(1, 20);
		node->offset = draw_offset();
		node->rate = sim_chance(50) ? 0 : sim_chance(50) ? sim_between(-5000, 5000) : sim_chance(50) ? 5000 : -5000;
		node->lost_at = -1;
		node->grant.operation = -1;
		node_start(node);
		/* Scripts stay in the server's cache from one caller to the next. */
		memset(node->known, sim_chance(50), sizeof(node->known));
	}
}

bool node_accept(wire *wire)
{
	node *node = &node_all[wire->node];

	if (!node->up) {
		return false;
	}
	wire->server_open = true;
	if (node->connections >= sim_profile.most_connections) {
		static const char refusal[] = "-ERR max number of clients reached\r\n";

		wire_reply(wire, refusal, sizeof(refusal) - 1);
		wire_end_by_server(wire, WIRE_FINISHED, false);
		return true;
	}
	node->connections++;
	return true;
}

bool node_is_silent(int node)
{
	return node_all[node].silent;
}

static void forget_blocked(node *node, const wire *wire)
{
	int kept = 0;

	for (int i = 0; i < node->blocked_count; i++) {
		if (node->blocked[i] != wire_number(wire)) {
			node->blocked[kept++] = node->blocked[i];
		}
	}
	node->blocked_count = kept;
}

void node_close(node *node, wire *wire, wire_end how, bool silent)
{
	node->connections--;
	forget_blocked(node, wire);
	wire_end_by_server(wire, how, silent);
}

static void reply_text(wire *wire, const char *text)
{
	wire_reply(wire, text, strlen(text));
}

static void reply_item(wire *wire, const char *key, size_t key_length, const char *item)
{
	char text[256];

	snprintf(text, sizeof(text), "*2\r\n$%zu\r\n%.*s\r\n$%zu\r\n%s\r\n", key_length, (int) key_length, key,
		strlen(item), item);
	reply_text(wire, text);
}

/* A command may have put something on a list: whoever came first gets it. */
static void serve_blocked(node *node)
{
	for (int i = 0; i < node->blocked_count;) {
		wire *wire = &wire_all[node->blocked[i]];
		char item[STORE_ITEM];

		if (!store_pop(&node->store, (store_text) {wire->block_key, wire->block_key_length}, item)) {
			i++;
			continue;
		}
		sim_trace("n%d wakes c%d with %s", node_number(node), wire->client, item);
		wire->blocked = false;
		forget_blocked(node, wire);
		if (sim_chance(sim_profile.signals_at_wake)) {
			events_add(sim_now + sim_between(0, 4 * sim_profile.delay_most), EVENT_SIGNAL, wire->client, 0, 1);
		}
		reply_item(wire, wire->block_key, wire->block_key_length, item);
		node_process_input(wire);
		i = 0;
	}
}

static void block(node *node, wire *wire, const store_text *arguments)
{
	char item[STORE_ITEM];
	char seconds[32];
	int64_t limit;

	if (sim_profile.no_blpop) {
		reply_text(wire, "-NOPERM this user has no permissions to run the 'blpop' command\r\n");
		return;
	}
	node->store.time_us = node_clock(node);
	if (store_pop(&node->store, arguments[1], item)) {
		sim_trace("n%d: BLPOP of c%d takes %s at once", node_number(node), wire->client, item);
		reply_item(wire, arguments[1].data, arguments[1].length, item);
		return;
	}
	if (node->blocked_count == NODE_BLOCKED || arguments[1].length > sizeof(wire->block_key)) {
		abort();
	}
	snprintf(seconds, sizeof(seconds), "%.*s", (int) arguments[2].length, arguments[2].data);
	sim_trace("n%d: c%d waits in BLPOP for up to %s s, behind %d", node_number(node), wire->client, seconds,
		node->blocked_count);
	memcpy(wire->block_key, arguments[1].data, arguments[1].length);
	wire->block_key_length = arguments[1].length;
	wire->blocked = true;
	wire->block++;
	node->blocked[node->blocked_count++] = wire_number(wire);
	/* Redis looks at its timeouts ten times a second. Its clock can be set, and an administrator can end a BLPOP. */
	limit = (int64_t) (strtod(seconds, NULL) * 1e6);
	limit = sim_chance(2) ? sim_between(0, limit) : limit + sim_between(0, 100 * SIM_MS);
	events_add(sim_now + limit, EVENT_BLOCK_OVER, wire_number(wire), wire->generation, wire->block);
}

void node_block_is_over(wire *wire, uint32_t block)
{
	node *node = &node_all[wire->node];

	if (!wire->blocked || wire->block != block || node->hangs) {
		return;
	}
	sim_trace("n%d: the BLPOP of c%d is over", node_number(node), wire->client);
	wire->blocked = false;
	forget_blocked(node, wire);
	reply_text(wire, "*-1\r\n");
	node_process_input(wire);
}

static int find_script(const node *node, store_text form, store_text name)
{
	for (int i = 0; i < RL_SCRIPT_COUNT; i++) {
		const rl_script *script = rl_script_get((rl_script_id) i);

		if (form.length == 7 ? node->known[i] && memcmp(script->sha1, name.data, 40) == 0
				: store_same((store_text) {script->text, script->length}, name)) {
			return i;
		}
	}
	return -1;
}

static void trace_script(const node *node, const wire *wire, int id, const store_text *arguments, int keys, int count,
	const rl_buffer *reply)
{
	char line[600];
	size_t used = 0;

	if (!sim_is_traced()) {
		return;
	}
	for (int i = keys; i < count && used < sizeof(line); i++) {
		used += (size_t) snprintf(line + used, sizeof(line) - used, " %.*s", (int) arguments[i].length,
			arguments[i].data);
	}
	for (size_t i = 0; i < reply->length && used < sizeof(line) - 8; i++) {
		if (i == 0) {
			used += (size_t) snprintf(line + used, sizeof(line) - used, " ->");
		}
		if (reply->data[i] == '\r') {
			continue;
		}
		line[used++] = reply->data[i] == '\n' ? ' ' : reply->data[i];
	}
	line[used < sizeof(line) ? used : sizeof(line) - 1] = '\0';
	sim_trace("n%d runs %s of c%d:%s", node_number(node), rl_script_get((rl_script_id) id)->name, wire->client, line);
}

static void maybe_snapshot(node *node)
{
	if (sim_profile.memory != MEMORY_OLD && sim_profile.memory != MEMORY_MIXED) {
		return;
	}
	if (--node->snapshot_in == 0) {
		node->snapshot = node->store;
		node->has_snapshot = true;
		node->snapshot_in = (int) sim_between(1, 60);
	}
}

/* EVAL or EVALSHA. */
static void run_script(node *node, wire *wire, const store_text *arguments, int count, int operation)
{
	static rl_buffer reply;
	int id = find_script(node, arguments[0], arguments[1]);
	int keys = arguments[2].data[0] - '0';
	uint32_t life = node->life;

	if (id < 0) {
		sim_trace("n%d does not know the script of c%d", node_number(node), wire->client);
		reply_text(wire, "-NOSCRIPT No matching script. Please use EVAL.\r\n");
		return;
	}
	node->known[id] = true;
	node->store.time_us = node_clock(node);
	reply.length = 0;
	rules_before_script(node, (rl_script_id) id, arguments + 3);
	script_run((rl_script_id) id, &node->store, arguments + 3, keys, count - 3, &reply);
	trace_script(node, wire, id, arguments + 3, keys, count - 3, &reply);
	rules_after_script(node, wire, (rl_script_id) id, arguments + 3, keys, count - 3, operation, &reply);
	maybe_snapshot(node);
	if (wire->strike != 0 && wire->strike_phase == 1 && wire->up.taken >= wire->strike_at) {
		node_strike(wire, 1);
	}
	if (node->life == life && node->up && wire->server_open) {
		wire_reply(wire, reply.data, reply.length);
	}
	if (node->life == life && node->up) {
		serve_blocked(node);
	}
}

/* CLIENT ID and CLIENT UNBLOCK. */
static void run_client(node *node, wire *wire, const store_text *arguments, int count)
{
	char text[32];
	long number;

	if (sim_profile.no_client) {
		reply_text(wire, "-NOPERM this user has no permissions to run the 'client' command\r\n");
		return;
	}
	if (count == 2) {
		if (wire->client_number == 0) {
			wire->client_number = ++client_numbers;
		}
		snprintf(text, sizeof(text), ":%ld\r\n", wire->client_number);
		reply_text(wire, text);
		return;
	}
	snprintf(text, sizeof(text), "%.*s", (int) arguments[2].length, arguments[2].data);
	number = atol(text);
	for (int i = 0; i < node->blocked_count; i++) {
		struct wire *other = &wire_all[node->blocked[i]];

		if (other->client_number == number) {
			reply_text(wire, ":1\r\n");
			node_block_is_over(other, other->block);
			return;
		}
	}
	reply_text(wire, ":0\r\n");
}

static void run_command(node *node, wire *wire, const store_text *arguments, int count, int operation)
{
	store_text name = arguments[0];

	if (name.length >= 4 && memcmp(name.data, "EVAL", 4) == 0) {
		run_script(node, wire, arguments, count, operation);
	} else if (name.length == 5 && memcmp(name.data, "BLPOP", 5) == 0) {
		block(node, wire, arguments);
	} else if (name.length == 4 && memcmp(name.data, "INFO", 4) == 0) {
		char info[128];

		snprintf(info, sizeof(info), "$74\r\n# Server\r\nrun_id:%.40s\r\ntcp_port:6379\r\n\r\n", node->run_id);
		reply_text(wire, info);
	} else if (name.length == 6 && memcmp(name.data, "CLIENT", 6) == 0) {
		run_client(node, wire, arguments, count);
	} else if (name.length == 6 && memcmp(name.data, "SELECT", 6) == 0) {
		reply_text(wire, "+OK\r\n");
	} else {
		fprintf(stderr, "tests/sim: the model of Redis does not know the command %.*s\n", (int) name.length, name.data);
		abort();
	}
	if (wire->strike != 0 && wire->strike_phase != 0 && wire->server_open && wire->up.taken >= wire->strike_at) {
		node_strike(wire, wire->strike_phase);
	}
}

/* A number of the protocol, up to the end of its line. False: the line is not complete. */
static bool read_number(const wire *wire, size_t *at, char kind, long *number)
{
	const char *data = wire->up.bytes.data;
	size_t i = *at;
	long sum = 0;

	if (i >= wire->up.arrived) {
		return false;
	}
	if (data[i++] != kind) {
		sim_break("the protocol: a client sent what is no command");
		return false;
	}
	for (; i < wire->up.arrived && data[i] != '\r'; i++) {
		sum = sum * 10 + (data[i] - '0');
	}
	if (i + 2 > wire->up.arrived) {
		return false;
	}
	*number = sum;
	*at = i + 2;
	return true;
}

/* Takes the next command, if all of it is there. Returns the number of its arguments, 0: not yet. */
static int take_command(wire *wire, store_text *arguments)
{
	size_t at = wire->up.taken;
	long count, length;

	if (!read_number(wire, &at, '*', &count)) {
		return 0;
	}
	if (count < 1 || count > ARGUMENTS) {
		sim_break("the protocol: a client sent a command of %ld arguments", count);
		return 0;
	}
	for (long i = 0; i < count; i++) {
		if (!read_number(wire, &at, '$', &length) || at + (size_t) length + 2 > wire->up.arrived) {
			return 0;
		}
		arguments[i] = (store_text) {wire->up.bytes.data + at, (size_t) length};
		at += (size_t) length + 2;
	}
	wire->up.taken = at;
	return (int) count;
}

void node_process_input(wire *wire)
{
	node *node = &node_all[wire->node];
	uint32_t generation = wire->generation;

	while (wire->generation == generation && wire->server_open && !wire->blocked && !node->hangs) {
		store_text arguments[ARGUMENTS];
		int count = take_command(wire, arguments);

		if (count == 0) {
			break;
		}
		run_command(node, wire, arguments, count, wire_operation(wire, wire->up.taken));
	}
	if (wire->generation == generation && wire->server_open && wire->up.end != WIRE_OPEN && !node->hangs) {
		/* A client that says that it will send nothing more is one that is gone, also to a BLPOP. */
		node_close(node, wire, WIRE_FINISHED, wire->up.end == WIRE_RESET);
	} else if (wire->generation == generation) {
		rules_input_taken(wire);
	}
}

void node_receive(wire *wire)
{
	if (wire->up.end == WIRE_RESET) {
		/* What had not been read is thrown away by the kernel. */
		if (wire->up.taken < wire->up.arrived) {
			sim_trace("n%d: what c%d sent is lost with its connection", wire->node, wire->client);
			sim_counts[SIM_PARKED_LOST]++;
		}
		wire->up.taken = wire->up.arrived;
	}
	node_process_input(wire);
}
