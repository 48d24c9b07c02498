/*
 * Every operation on a lock, with a server and a network that do what the input says: each call ends within its budget,
 * says why, takes no connection for ever, and leaves the lock in a sane state.
 *
 * Input: lines. The first character of a line says what it is:
 *   a wait lease   acquire                       c wait lease   acquire with a chosen token
 *   r              release                       n lease        renew
 *   t              attach                        b              abandon
 *   i              inspect                       f              force release
 *   k              release and renew by token    p ms           let time pass
 *   x              close idle connections        y              the process is forked
 * When the core connects or sends, the next line is taken for what becomes of that:
 *   + ms           it works, after so long       = ms reply     answered so; '|' stands for the end of a line
 *   - ms           it breaks after so long       . ms           no answer; a connect hangs
 *   ! ms           it never leaves                > ms          answered, and a signal comes after so long
 * A line of another kind, or none, means that it works at once. Numbers have one to five digits. If the first line is
 * "q" the client is one of a quorum of three servers.
 */
#include "fuzz.h"

#include "world.h"

#include "rl_quorum.h"

typedef struct input {
	const char *at;
	const char *end;
	int lines;
} input;

typedef struct line {
	char kind;
	int64_t numbers[2];
	const char *text;
	size_t length;
} line;

enum { MS = 1000, S = 1000000, MAX_LINES = 400 };

static world present;
static rl_lock lock;
static rl_error error;
static input input_of_network;
static rl_buffer replies[MAX_LINES];
static int reply_count;
static bool signal_planned;

static int64_t read_number(line *line)
{
	int64_t number = 0;

	while (line->length > 0 && *line->text == ' ') {
		line->text++;
		line->length--;
	}
	for (int digits = 0; line->length > 0 && digits < 5 && *line->text >= '0' && *line->text <= '9'; digits++) {
		number = number * 10 + (*line->text++ - '0');
		line->length--;
	}
	return number;
}

static bool next_line(line *line)
{
	input *input = &input_of_network;
	const char *end;

	if (input->at >= input->end || input->lines++ >= MAX_LINES) {
		return false;
	}
	end = memchr(input->at, '\n', (size_t) (input->end - input->at));
	end = end == NULL ? input->end : end;
	line->kind = input->at < end ? *input->at : ' ';
	line->text = input->at + 1;
	line->length = end > input->at ? (size_t) (end - input->at - 1) : 0;
	input->at = end + 1;
	return true;
}

/* A line for the network, if the next one is one. */
static bool next_event(line *line)
{
	input *input = &input_of_network;

	return input->at < input->end && strchr("+-=.!>", *input->at) != NULL && *input->at != '\0' && next_line(line);
}

static void set_reply(world_plan *plan, const line *line)
{
	rl_buffer *reply;

	if (reply_count == MAX_LINES) {
		return;
	}
	reply = &replies[reply_count++];
	for (size_t i = 0; i < line->length; i++) {
		if (line->text[i] == '|') {
			rl_buffer_append(reply, "\r\n", 2);
		} else {
			rl_buffer_append(reply, &line->text[i], 1);
		}
	}
	plan->reply_length = reply->length;
	/* Nothing at all would be the server's own answer. */
	rl_buffer_append(reply, "", 1);
	plan->reply = reply->data;
}

static void plan_send(struct world *world, const world_sent *command, world_plan *plan)
{
	line line;
	int64_t ms;

	(void) command;
	if (!next_event(&line)) {
		return;
	}
	ms = read_number(&line) * MS;
	switch (line.kind) {
		case '=':
			plan->answer_us = ms;
			if (line.length > 0 && *line.text == ' ') {
				line.text++;
				line.length--;
			}
			if (line.length > 0) {
				set_reply(plan, &line);
			}
			break;
		case '-':
			plan->fate = WORLD_BROKEN;
			plan->answer_us = ms;
			break;
		case '.':
			plan->fate = WORLD_SILENT;
			plan->travel_us = ms;
			break;
		case '!':
			plan->fate = ms % 2000 == 0 ? WORLD_STUCK : WORLD_CUT;
			plan->answer_us = ms;
			break;
		case '>':
			world->signal_at = world->now + ms;
			signal_planned = true;
			plan->answer_us = 2 * ms;
			break;
		default:
			plan->travel_us = ms;
	}
}

static void plan_connect(struct world *world, int server, world_connect_plan *plan)
{
	line line;

	(void) world;
	(void) server;
	if (!next_event(&line)) {
		return;
	}
	plan->delay_us = read_number(&line) * MS;
	plan->fate = line.kind == '-' ? WORLD_REFUSED : line.kind == '.' ? WORLD_HANGING
		: line.kind == '!' ? WORLD_LOGIN_REFUSED : WORLD_CONNECTED;
}

/* The handler of a signal of the input throws; in the pauses between, no code of the application does. */
static bool interrupted(struct world *world)
{
	bool throws = signal_planned && world->signal_at == 0;

	signal_planned = signal_planned && !throws;
	return throws;
}

static void check_call(int64_t began, int64_t budget, rl_status status)
{
	CHECK(present.now - began <= budget);
	CHECK(world_count(&present, WORLD_BUSY) == 0);
	CHECK(status >= RL_OK && status < RL_INVALID && (status != RL_QUORUM || present.client.nodes != NULL));
	if (status != RL_OK && status != RL_NO && status != RL_INTERRUPTED) {
		CHECK(error.status == status);
		CHECK(error.message[0] != '\0');
		CHECK(memchr(error.message, '\0', sizeof(error.message)) != NULL);
	}
	CHECK(lock.unanswered_count >= 0 && lock.unanswered_count <= RL_MAX_UNANSWERED);
	CHECK(!lock.uncertain || lock.unanswered_count > 0);
	CHECK(rl_lock_is_held(&lock, &present.client) == (rl_lock_remaining(&lock, &present.client) > 0));
	CHECK(!rl_lock_is_held(&lock, &present.client) || (lock.token != NULL && lock.fence > 0));
}

static rl_status acquire(int64_t wait_ms, int64_t lease_ms, bool chosen)
{
	rl_slice token = rl_slice_text("chosen");
	rl_status status;

	if (rl_lock_is_held(&lock, &present.client)) {
		return RL_NO;
	}
	lock.lease_ms = lease_ms < RL_LEASE_MIN_MS ? RL_LEASE_MIN_MS : lease_ms;
	status = rl_lock_acquire(&lock, &present.client, wait_ms, chosen ? &token : NULL, &error);
	CHECK((status == RL_OK) == rl_lock_is_held(&lock, &present.client));
	return status;
}

static rl_status inspect(void)
{
	rl_inspection inspection;
	rl_status status = rl_inspect(&present.client, &lock.keys, &inspection, &error);

	rl_buffer_free(&inspection.token);
	return status;
}

static void run_line(line *line)
{
	int64_t began = present.now;
	int64_t first = read_number(line);
	int64_t second = read_number(line);
	int64_t budget = 2 * present.client.timeout_us;
	rl_status status = RL_OK;
	rl_slice somebody = rl_slice_text("somebody");

	switch (line->kind) {
		case 'a':
		case 'c':
			budget += first * MS;
			status = acquire(first, second, line->kind == 'c');
			break;
		case 'r':
			status = rl_lock_release(&lock, &present.client, &error);
			break;
		case 'n':
			status = rl_lock_renew(&lock, &present.client, first < RL_LEASE_MIN_MS ? RL_LEASE_MIN_MS : first, &error);
			CHECK(status != RL_OK || rl_lock_is_held(&lock, &present.client));
			break;
		case 't':
			status = rl_lock_attach(&lock, &present.client, somebody, &error);
			CHECK(status != RL_OK || rl_lock_is_held(&lock, &present.client));
			break;
		case 'b':
			rl_lock_abandon(&lock, &present.client);
			CHECK(!rl_lock_owes_release(&lock, &present.client));
			budget = present.client.timeout_us;
			break;
		case 'i':
			status = inspect();
			break;
		case 'f':
			status = rl_force_release(&present.client, &lock.keys, &error);
			break;
		case 'k':
			status = rl_token_release(&present.client, &lock.keys, somebody, &error);
			check_call(began, budget, status);
			began = present.now;
			status = rl_token_renew(&present.client, &lock.keys, somebody, 1000, &error);
			break;
		case 'p':
			world_pass(&present, first * MS);
			return;
		case 'x':
			world_close_idle(&present);
			return;
		case 'y':
			present.process++;
			return;
		default:
			return;
	}
	check_call(began, budget, status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	line line;

	input_of_network = (input) {.at = (const char *) data, .end = (const char *) data + size};
	world_begin(&present, 1);
	if (size > 1 && data[0] == 'q' && data[1] == '\n') {
		world_make_quorum(&present, 3);
		CHECK(rl_quorum_initialize(&present.client, &error) == RL_OK);
	}
	present.plan = plan_send;
	present.plan_connect = plan_connect;
	present.interrupted = interrupted;
	signal_planned = false;
	present.client.timeout_us = 100 * MS;
	present.client.connect_timeout_us = 150 * MS;
	present.client.retry_for_us = 2 * S;
	CHECK(rl_lock_init(&lock, present.client.prefix, rl_slice_text("job"), 30000, &error) == RL_OK);
	while (next_line(&line)) {
		run_line(&line);
	}
	rl_lock_free(&lock);
	world_end(&present);
	while (reply_count > 0) {
		rl_buffer_free(&replies[--reply_count]);
	}
	return 0;
}
