#include "wire.h"

#include "faults.h"
#include "node.h"
#include "process.h"
#include "profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

wire wire_all[WIRE_MOST];

static int used;
static int64_t partitioned_until[SIM_CLIENTS][SIM_NODES];

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

int64_t wire_delay(void)
{
	return sim_between(sim_profile.delay_least, sim_profile.delay_most);
}

int wire_number(const wire *wire)
{
	return (int) (wire - wire_all);
}

static void clear(wire_stream *stream)
{
	stream->bytes.length = 0;
	stream->arrived = stream->taken = 0;
	stream->limit = SIZE_MAX;
	stream->last = 0;
	stream->end = WIRE_OPEN;
}

static void free_wire(wire *wire)
{
	wire->used = false;
	wire->generation++;
}

void wire_clear(void)
{
	for (int i = 0; i < used; i++) {
		if (wire_all[i].used) {
			free_wire(&wire_all[i]);
		}
	}
	used = 0;
	memset(partitioned_until, 0, sizeof(partitioned_until));
}

static void check_gone(wire *wire)
{
	if (!wire->client_open && !wire->server_open && !wire->connecting) {
		free_wire(wire);
	}
}

int wire_new(int client)
{
	wire *wire = NULL;

	for (int i = 0; i < WIRE_MOST && wire == NULL; i++) {
		if (!wire_all[i].used) {
			wire = &wire_all[i];
			used = i + 1 > used ? i + 1 : used;
		}
	}
	if (wire == NULL) {
		fputs("tests/sim: too many connections\n", stderr);
		abort();
	}
	wire->used = wire->client_open = wire->room = true;
	wire->client = client;
	wire->node = -1;
	wire->connecting = wire->refused = wire->orphan = wire->server_open = false;
	clear(&wire->up);
	clear(&wire->down);
	wire->part_count = 0;
	wire->strike = 0;
	wire->client_number = 0;
	wire->cut_reply = wire->cut = wire->carries_block = wire->blocked = wire->mixed = false;
	wire->bad_until = 0;
	return wire_number(wire);
}

/* Plans the arrival of something at the other end. Returns when it is. */
static int64_t plan(wire *wire, wire_stream *stream, event_kind kind, int64_t delay, int64_t value)
{
	int64_t when = delay == SIM_NEVER ? SIM_NEVER : later(stream->last, sim_now + delay);

	when = later(when, stream->last);
	stream->last = when;
	events_add(when, kind, wire_number(wire), wire->generation, value);
	return when;
}

void wire_connect(wire *wire, int node)
{
	int64_t until = partitioned_until[wire->client][node];

	wire->node = node;
	wire->connecting = true;
	if (until > sim_now) {
		/* The kernel sends it again from time to time. */
		wire->up.last = wire->down.last = until;
		wire->bad_until = until;
	}
	plan(wire, &wire->up, EVENT_SYN, wire_delay(), 0);
}

void wire_partition(int client, int node, int64_t until)
{
	partitioned_until[client][node] = until;
	for (int i = 0; i < used; i++) {
		wire *wire = &wire_all[i];

		if (wire->used && wire->client == client && wire->node == node) {
			wire->up.last = later(wire->up.last, until);
			wire->down.last = later(wire->down.last, until);
			wire->bad_until = later(wire->bad_until, until);
		}
	}
}

/* The network cuts the connection: both ends hear of it, each in its time, after the bytes that still arrive. */
static void cut(wire *wire)
{
	wire->cut = true;
	plan(wire, &wire->up, EVENT_UP_END, wire_delay(), WIRE_RESET);
	plan(wire, &wire->down, EVENT_DOWN_END, wire_delay(), WIRE_RESET);
	wire->up.last = wire->down.last = SIM_NEVER;
	faults_disturbed(wire->client, sim_now + 2 * sim_profile.delay_most);
}

static size_t limit_within(size_t from, size_t to)
{
	return (size_t) sim_between((int64_t) from, (int64_t) to - 1);
}

/*
 * Bytes of one message were written: plans their arrival, and what goes wrong with them. Kinds of faults that hit the
 * node wait in wire->strike until the message is there.
 */
static void carry(wire *wire, bool up, size_t from, int fault)
{
	wire_stream *stream = up ? &wire->up : &wire->down;
	size_t to = stream->bytes.length;
	int64_t delay = wire_delay();
	int64_t value = (int64_t) to;

	switch (fault) {
		case FAULT_SPIKE:
			delay = faults_long_time();
			sim_counts[SIM_SPIKES]++;
			break;
		case FAULT_STALL:
			sim_counts[SIM_STALLS]++;
			delay = sim_chance(50) ? SIM_NEVER : faults_long_time();
			if (sim_chance(50)) {
				/* In the other direction as well. */
				wire_stream *other = up ? &wire->down : &wire->up;

				other->last = delay == SIM_NEVER ? SIM_NEVER : later(other->last, sim_now + delay);
			}
			break;
		case FAULT_CUT_BEFORE:
			sim_counts[SIM_CUTS]++;
			stream->limit = limit_within(from, to);
			sim_trace("   network: c%d-n%d is cut, %zu of %zu bytes %s arrive", wire->client, wire->node,
				stream->limit - from, to - from, up ? "to the node" : "to the client");
			plan(wire, stream, up ? EVENT_UP : EVENT_DOWN, delay, value);
			cut(wire);
			return;
		case FAULT_CUT_AFTER:
			wire->cut_reply = true;
			break;
		case FAULT_CRASH:
		case FAULT_HANG:
		case FAULT_FULL:
		case FAULT_CLOCK:
			wire->strike = fault;
			wire->strike_at = to;
			wire->strike_phase = (int) sim_between(0, 2);
			break;
		default:
			break;
	}
	if (delay > sim_profile.delay_most) {
		int64_t until = delay == SIM_NEVER ? SIM_NEVER : sim_now + delay;

		sim_trace("   network: c%d-n%d, %s: the message takes %s%.3f ms", wire->client, wire->node,
			up ? "to the node" : "to the client", delay == SIM_NEVER ? "for ever, not " : "",
			delay == SIM_NEVER ? 0.0 : (double) delay / SIM_MS);
		wire->bad_until = later(wire->bad_until, until);
	}
	if (to - from > 1 && fault == 0 && sim_random() % 32 == 0) {
		/* In two pieces. */
		plan(wire, stream, up ? EVENT_UP : EVENT_DOWN, delay, (int64_t) limit_within(from + 1, to));
		delay += wire_delay();
	}
	plan(wire, stream, up ? EVENT_UP : EVENT_DOWN, delay, value);
}

static void note_part(wire *wire, int operation)
{
	wire_part *last = wire->parts;

	if (wire->mixed) {
		return;
	}
	if (wire->part_count > 0) {
		last = &wire->parts[wire->part_count - 1];
	}
	if (wire->part_count == 0 || last->operation != operation) {
		if (wire->part_count == WIRE_OPERATIONS) {
			memmove(wire->parts, wire->parts + 1, sizeof(wire->parts[0]) * (WIRE_OPERATIONS - 1));
			wire->part_count--;
		}
		last = &wire->parts[wire->part_count++];
		last->operation = operation;
	}
	last->end = wire->up.bytes.length;
}

int wire_operation(wire *wire, size_t end)
{
	for (int i = 0; i < wire->part_count; i++) {
		if (end <= wire->parts[i].end) {
			return wire->parts[i].operation;
		}
	}
	return -1;
}

size_t wire_write(wire *wire, const char *data, size_t length, int operation)
{
	size_t from = wire->up.bytes.length;
	int fault = 0;

	if (!wire->room) {
		return 0;
	}
	if (!wire->server_open && !wire->connecting) {
		/* The node does not know this connection: it will say so. */
		rl_buffer_append(&wire->up.bytes, data, length);
		plan(wire, &wire->down, EVENT_DOWN_END, 2 * wire_delay(), WIRE_RESET);
		return length;
	}
	fault = faults_of_message(wire);
	if (fault == FAULT_PARTIAL) {
		/* The rest may be written in the next operation, and nobody can tell where it begins. */
		wire->mixed = process_all[wire->client].mixed = true;
		wire->part_count = 0;
		wire->room = false;
		length = (size_t) sim_between(0, (int64_t) length - 1);
		events_add(sim_now + faults_long_time(), EVENT_ROOM, wire_number(wire), wire->generation, 0);
		faults_disturbed(wire->client, sim_now);
		wire->bad_until = later(wire->bad_until, sim_now + sim_profile.timeout_us);
		sim_trace("   network: c%d-n%d: the kernel takes %zu bytes", wire->client, wire->node, length);
		if (length == 0) {
			return 0;
		}
		fault = 0;
	}
	wire->carries_block = length > 14 && memcmp(data, "*3\r\n$5\r\nBLPOP\r", 14) == 0;
	if (!rl_buffer_append(&wire->up.bytes, data, length)) {
		abort();
	}
	note_part(wire, operation);
	carry(wire, true, from, fault);
	return length;
}

void wire_reply(wire *wire, const char *data, size_t length)
{
	size_t from = wire->down.bytes.length;
	int fault = faults_of_message(wire);

	if (!rl_buffer_append(&wire->down.bytes, data, length)) {
		abort();
	}
	if (wire->cut_reply) {
		wire->cut_reply = false;
		fault = FAULT_CUT_BEFORE;
	}
	carry(wire, false, from, fault);
}

bool wire_can_read(const wire *wire)
{
	return wire->down.arrived > wire->down.taken || wire->down.end != WIRE_OPEN;
}

size_t wire_read(wire *wire, char *to, size_t size, bool peek)
{
	size_t there = wire->down.arrived - wire->down.taken;

	if (there > size) {
		there = size;
	}
	if (there > 0) {
		memcpy(to, wire->down.bytes.data + wire->down.taken, there);
	}
	if (!peek) {
		wire->down.taken += there;
	}
	return there;
}

void wire_hang_up(wire *wire)
{
	plan(wire, &wire->up, EVENT_UP_END, wire_delay(), WIRE_FINISHED);
}

/* Bytes came for a socket that is closed: the kernel answers with a reset, and forgets what it had still to send. */
static void reset_by_client(wire *wire)
{
	if (sim_chance(50)) {
		wire->up.limit = wire->up.arrived;
		if (wire->up.last == SIM_NEVER) {
			return;
		}
	}
	plan(wire, &wire->up, EVENT_UP_END, wire_delay(), WIRE_RESET);
}

void wire_close(wire *wire)
{
	bool unread = wire->down.arrived > wire->down.taken;

	wire->client_open = false;
	if (wire->orphan) {
		return;
	}
	if (wire->connecting) {
		/* The node may have heard of it already; it will hear that it is over. */
		plan(wire, &wire->up, EVENT_UP_END, wire_delay(), WIRE_FINISHED);
	} else if (unread) {
		reset_by_client(wire);
	} else {
		wire_hang_up(wire);
	}
	check_gone(wire);
}

void wire_end_by_server(wire *wire, wire_end how, bool silent)
{
	wire->server_open = false;
	wire->blocked = false;
	if (!silent) {
		plan(wire, &wire->down, EVENT_DOWN_END, wire_delay(), how);
	}
	check_gone(wire);
}

static void up_event(wire *wire, const event *event)
{
	size_t there = (size_t) event->value;

	if (!wire->server_open) {
		return;
	}
	if (wire->strike != 0 && there >= wire->strike_at && wire->strike_phase == 0) {
		node_strike(wire, 0);
	}
	if (!wire->server_open) {
		return;
	}
	there = there < wire->up.limit ? there : wire->up.limit;
	if (there > wire->up.arrived) {
		wire->up.arrived = there;
		node_receive(wire);
	}
}

static void up_end(wire *wire, wire_end end)
{
	if (wire->connecting) {
		/* Closed before the connect was through. */
		wire->connecting = false;
	}
	if (wire->server_open) {
		wire->up.end = end;
		node_receive(wire);
	}
	check_gone(wire);
}

static void down_event(wire *wire, const event *event)
{
	size_t there = (size_t) event->value;

	there = there < wire->down.limit ? there : wire->down.limit;
	if (there <= wire->down.arrived) {
		return;
	}
	wire->down.arrived = there;
	if (wire->client_open) {
		process_readable(wire);
	} else if (wire->server_open && !wire->orphan) {
		reset_by_client(wire);
	}
}

void wire_event(const event *event)
{
	wire *wire = &wire_all[event->subject];

	if (wire->generation != event->generation || !wire->used) {
		return;
	}
	switch (event->kind) {
		case EVENT_SYN:
			if (node_accept(wire)) {
				plan(wire, &wire->down, EVENT_CONNECTED, wire_delay(), 0);
			} else if (!node_is_silent(wire->node)) {
				plan(wire, &wire->down, EVENT_REFUSED, wire_delay(), 0);
			}
			break;
		case EVENT_CONNECTED:
			wire->connecting = false;
			if (wire->client_open) {
				process_readable(wire);
			}
			break;
		case EVENT_REFUSED:
			wire->connecting = false;
			wire->refused = true;
			if (wire->client_open) {
				process_readable(wire);
			}
			check_gone(wire);
			break;
		case EVENT_UP:
			up_event(wire, event);
			break;
		case EVENT_UP_END:
			up_end(wire, (wire_end) event->value);
			break;
		case EVENT_DOWN:
			down_event(wire, event);
			break;
		case EVENT_DOWN_END:
			if (wire->down.end != WIRE_RESET) {
				wire->down.end = (wire_end) event->value;
			}
			if (wire->connecting) {
				wire->connecting = false;
				wire->refused = true;
			}
			if (wire->client_open) {
				process_readable(wire);
			}
			check_gone(wire);
			break;
		case EVENT_ROOM:
			wire->room = true;
			if (wire->client_open) {
				process_readable(wire);
			}
			break;
		default:
			node_block_is_over(wire, (uint32_t) event->value);
			break;
	}
}
