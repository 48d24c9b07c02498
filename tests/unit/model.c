#include "model.h"

#include <stdio.h>
#include <stdlib.h>

static void stop(const char *what)
{
	fprintf(stderr, "the model: %s\n", what);
	abort();
}

void (*model_failure)(const char *what) = stop;

static void expect(bool condition, const char *what)
{
	if (!condition) {
		model_failure(what);
	}
}

static int64_t time_ms(const model *model)
{
	return model->time_us / 1000;
}

static bool is_over(const model *model, int64_t expires)
{
	return expires != 0 && time_ms(model) >= expires;
}

static void forget_all(model *model)
{
	memset(model->keys, 0, sizeof(model->keys));
	for (int i = 0; i < MODEL_KEYS; i++) {
		model->keys[i].wake = -1;
	}
	model->known_run_id[0] = '\0';
	model->sits_out_until = 0;
}

void model_begin(model *model, int number)
{
	forget_all(model);
	snprintf(model->run_id, sizeof(model->run_id), "%040x", (unsigned) number * 1000 + 1);
}

void model_restart(model *model, bool keeps_memory)
{
	char *last = &model->run_id[RL_RUN_ID_SIZE - 2];

	*last = *last == 'f' ? '0' : *last == '9' ? 'a' : (char) (*last + 1);
	model->blocked_count = 0;
	if (!keeps_memory) {
		forget_all(model);
	}
}

bool model_is(const model_command *command, rl_script_id id)
{
	return command->script == rl_script_get(id);
}

model_key *model_find(model *model, rl_slice lock)
{
	for (int i = 0; i < MODEL_KEYS; i++) {
		model_key *key = &model->keys[i];

		if (key->name[0] == '\0') {
			expect(lock.length < sizeof(key->name), "no room for a key this long");
			memcpy(key->name, lock.data, lock.length);
		}
		if (!rl_slice_equal(rl_slice_text(key->name), lock)) {
			continue;
		}
		if (is_over(model, key->expires)) {
			key->holder_length = 0;
			key->expires = 0;
		}
		if (is_over(model, key->wait_flag_expires)) {
			key->wait_flag_expires = 0;
		}
		if (is_over(model, key->wake_expires)) {
			key->wake = -1;
			key->wake_expires = 0;
		}
		return key;
	}
	expect(false, "no room for another key");
	return NULL;
}

static rl_slice holder(const model_key *key)
{
	return rl_slice_make(key->holder, key->holder_length);
}

static bool holds(const model_key *key, rl_slice token)
{
	return key->holder_length > 0 && rl_slice_equal(holder(key), token);
}

bool model_holds(model *model, rl_slice lock, rl_slice token)
{
	return holds(model_find(model, lock), token);
}

static int64_t number(rl_slice text)
{
	char copy[RL_NUMBER_SIZE] = "";

	expect(text.length > 0 && text.length < sizeof(copy), "an argument is not a number");
	memcpy(copy, text.data, text.length);
	return strtoll(copy, NULL, 10);
}

static void set_holder(model *model, model_key *key, rl_slice token, int64_t lease_ms)
{
	expect(token.length > 0 && token.length < sizeof(key->holder), "the token does not fit");
	expect(lease_ms >= RL_LEASE_MIN_MS, "a lease is shorter than the shortest");
	memcpy(key->holder, token.data, token.length);
	key->holder_length = token.length;
	key->expires = time_ms(model) + lease_ms;
}

static void delete(model_key *key)
{
	key->holder_length = 0;
	key->expires = 0;
}

static int64_t new_fence(const model *model, model_key *key)
{
	key->fence = key->fence >= model->time_us ? key->fence + 1 : model->time_us;
	return key->fence;
}

static int64_t left_of(const model *model, const model_key *key)
{
	return key->expires == 0 ? -1 : key->expires - time_ms(model);
}

/* ----------------------------------------------------------------------------------------------------- the queue */

static void unblock(model *model, int index)
{
	model->blocked_count--;
	memmove(&model->blocked[index], &model->blocked[index + 1],
		(size_t) (model->blocked_count - index) * sizeof(model->blocked[0]));
}

static size_t print_wake(const model_key *key, int64_t fence, char *to, size_t size)
{
	char text[RL_NUMBER_SIZE];

	snprintf(text, sizeof(text), "%lld", (long long) fence);
	return (size_t) snprintf(to, size, "*2\r\n$%zu\r\n{%s}:redislock:wake\r\n$%zu\r\n%s\r\n",
		strlen(key->name) + strlen("{}:redislock:wake"), key->name, strlen(text), text);
}

/* Redis serves the client that has been blocked for longest. */
static void push(model *model, model_key *key, int64_t fence)
{
	key->wake = fence;
	key->wake_expires = time_ms(model) + 500;
	for (int i = 0; i < model->blocked_count; i++) {
		if (model->blocked[i].key == key) {
			char answer[256];
			size_t length = print_wake(key, fence, answer, sizeof(answer));
			int client = model->blocked[i].client;

			key->wake = -1;
			key->wake_expires = 0;
			unblock(model, i);
			model->answer(model->context, client, answer, length);
			return;
		}
	}
}

static void reserve(model *model, model_key *key)
{
	char reservation[RL_NUMBER_SIZE + 8];

	snprintf(reservation, sizeof(reservation), "handoff:%lld", (long long) key->fence);
	set_holder(model, key, rl_slice_text(reservation), 500);
	push(model, key, key->fence);
}

static void hand_over(model *model, model_key *key)
{
	if (key->wait_flag_expires == 0) {
		delete(key);
	} else {
		reserve(model, key);
	}
}

static size_t run_blpop(model *model, int client, const model_command *command, char *to, size_t size)
{
	static const char end[] = "}:redislock:wake";
	rl_slice name = command->arguments[1];
	char seconds[32] = "";
	model_key *key;

	expect(command->argument_count == 3, "BLPOP has one key and a timeout");
	expect(name.length > sizeof(end) && name.data[0] == '{'
		&& memcmp(name.data + name.length - strlen(end), end, strlen(end)) == 0, "BLPOP is not on a wake list");
	if (model->cannot_block) {
		return (size_t) snprintf(to, size, "-NOPERM this user has no permissions to run the 'blpop' command\r\n");
	}
	key = model_find(model, rl_slice_make(name.data + 1, name.length - 1 - strlen(end)));
	if (key->wake >= 0) {
		size_t length = print_wake(key, key->wake, to, size);

		key->wake = -1;
		key->wake_expires = 0;
		return length;
	}
	expect(command->arguments[2].length < sizeof(seconds), "the timeout is too long");
	memcpy(seconds, command->arguments[2].data, command->arguments[2].length);
	expect(strtod(seconds, NULL) > 0, "BLPOP without an end");
	expect(model->blocked_count < MODEL_BLOCKED, "no room for another blocked client");
	model->blocked[model->blocked_count++] = (model_blocked) {
		.client = client,
		.key = key,
		.until = model->time_us + (int64_t) (strtod(seconds, NULL) * 1000000)
	};
	return 0;
}

void model_forget_client(model *model, int client)
{
	for (int i = model->blocked_count; i-- > 0;) {
		if (model->blocked[i].client == client) {
			unblock(model, i);
		}
	}
}

/* CLIENT UNBLOCK: clients know themselves by their number and one. */
static size_t run_client(model *model, const model_command *command, char *to, size_t size)
{
	char number[RL_NUMBER_SIZE] = "";
	int found = 0;

	expect(command->argument_count == 3 && rl_slice_equal(command->arguments[1], rl_slice_text("UNBLOCK"))
		&& command->arguments[2].length < sizeof(number), "CLIENT is not for UNBLOCK");
	if (model->cannot_unblock) {
		return (size_t) snprintf(to, size, "-NOPERM this user has no permissions to run the 'client|unblock' command\r\n");
	}
	memcpy(number, command->arguments[2].data, command->arguments[2].length);
	for (int i = model->blocked_count; i-- > 0;) {
		int client = model->blocked[i].client;

		if (client + 1 == atoi(number)) {
			unblock(model, i);
			model->answer(model->context, client, "*-1\r\n", 5);
			found = 1;
		}
	}
	return (size_t) snprintf(to, size, ":%d\r\n", found);
}

int64_t model_next_timeout(const model *model)
{
	int64_t next = INT64_MAX;

	for (int i = 0; i < model->blocked_count; i++) {
		next = model->blocked[i].until < next ? model->blocked[i].until : next;
	}
	return next;
}

void model_time_out(model *model)
{
	for (int i = model->blocked_count; i-- > 0;) {
		if (model->blocked[i].until <= model->time_us) {
			int client = model->blocked[i].client;

			unblock(model, i);
			model->answer(model->context, client, "*-1\r\n", 5);
		}
	}
}

/* --------------------------------------------------------------------------------------------------- the scripts */

static int print_fence(int64_t fence, char *to, size_t size)
{
	char text[RL_NUMBER_SIZE];

	snprintf(text, sizeof(text), "%lld", (long long) fence);
	return snprintf(to, size, "$%zu\r\n%s\r\n", strlen(text), text);
}

/* By a node of a quorum. */
static int print_grant(int64_t fence, char *to, size_t size)
{
	int length = snprintf(to, size, "*2\r\n:1\r\n");

	return length + print_fence(fence, to + length, size - (size_t) length);
}

/* Never more than it was made for, though the clock may have been set back. */
static int64_t reservation_left(const model *model, model_key *key)
{
	if (left_of(model, key) < 0 || left_of(model, key) > 500) {
		key->expires = time_ms(model) + 500;
	}
	return left_of(model, key);
}

static int run_acquire(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	rl_slice token = command->arguments[0];
	int64_t lease = number(command->arguments[1]);
	/* Left out where they would say nothing. */
	int64_t wait_flag = command->argument_count > 3 ? number(command->arguments[3]) : 0;
	bool ours, reserved;

	/* Nothing: 7 days. */
	expect((command->argument_count > 2 ? number(command->arguments[2]) : 604800000) >= 2 * lease,
		"the fence is kept for less than twice the lease");
	if (model->full && key->holder_length == 0) {
		return snprintf(to, size, "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
	}
	if (key->holder_length == 0) {
		set_holder(model, key, token, lease);
		return print_fence(new_fence(model, key), to, size);
	}
	for (int i = 5; i < command->argument_count; i++) {
		if (holds(key, command->arguments[i])) {
			set_holder(model, key, token, lease);
			return print_fence(new_fence(model, key), to, size);
		}
	}
	ours = command->argument_count > 4 && holds(key, command->arguments[4]);
	reserved = key->holder_length > 8 && memcmp(key->holder, "handoff:", 8) == 0;
	if (reserved && !ours && command->key_count < 3) {
		return snprintf(to, size, "*1\r\n:2\r\n");
	}
	if (reserved && (ours || key->wake >= 0)) {
		set_holder(model, key, token, lease);
		if (!ours) {
			key->wake = -1;
			key->wake_expires = 0;
		}
		return print_fence(new_fence(model, key), to, size);
	}
	if (wait_flag != 0 && !model->full) {
		key->wait_flag_expires = time_ms(model) + wait_flag;
	}
	return snprintf(to, size, "*2\r\n:0\r\n:%lld\r\n",
		(long long) (reserved ? reservation_left(model, key) : left_of(model, key)));
}

static int run_poke(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	if (!model->full) {
		key->wait_flag_expires = time_ms(model) + number(command->arguments[0]);
	}
	if (key->holder_length == 0) {
		reserve(model, key);
		return snprintf(to, size, "*2\r\n:1\r\n:500\r\n");
	}
	if (key->holder_length > 8 && memcmp(key->holder, "handoff:", 8) == 0) {
		return snprintf(to, size, "*2\r\n:1\r\n:%lld\r\n", (long long) reservation_left(model, key));
	}
	return snprintf(to, size, "*2\r\n:0\r\n:%lld\r\n", (long long) left_of(model, key));
}

static int run_renew(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	int64_t lease = number(command->arguments[1]);

	if (!holds(key, command->arguments[0])) {
		return snprintf(to, size, "*1\r\n:0\r\n");
	}
	if (left_of(model, key) >= lease) {
		return snprintf(to, size, "*2\r\n:1\r\n:%lld\r\n", (long long) left_of(model, key));
	}
	key->expires = time_ms(model) + lease;
	return snprintf(to, size, "*2\r\n:1\r\n$%zu\r\n%.*s\r\n", command->arguments[1].length,
		(int) command->arguments[1].length, command->arguments[1].data);
}

/* Whether the fence that is stored is the one of who releases. */
static bool is_fence_of(int64_t stored, const model_command *command)
{
	int64_t fence = number(command->arguments[1]);

	if (stored == fence || command->argument_count == 2) {
		return stored == fence;
	}
	return rl_slice_equal(command->arguments[2], rl_slice_text("smaller")) ? stored < fence
		: stored == number(command->arguments[2]);
}

static int run_release(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	char stored[RL_NUMBER_SIZE] = "";

	if (key->fence > 0) {
		snprintf(stored, sizeof(stored), "%lld", (long long) key->fence);
	}
	if (holds(key, command->arguments[0]) && (command->argument_count < 2 || command->arguments[1].length == 0 || stored[0] == '\0'
			|| is_fence_of(key->fence, command))) {
		hand_over(model, key);
		return snprintf(to, size, ":1\r\n");
	}
	return snprintf(to, size, "*2\r\n:0\r\n$%zu\r\n%s\r\n", strlen(stored), stored);
}

static int run_attach(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	int64_t fence;
	int64_t lease = number(command->arguments[1]);
	int found = 0;

	expect(number(command->arguments[2]) >= 2 * lease, "the fence is kept for less than twice the lease");
	if (!holds(key, command->arguments[0])) {
		return snprintf(to, size, "*1\r\n:0\r\n");
	}
	while (found < MODEL_ATTACHED && (command->arguments[3].length != strlen(key->attached[found].number)
			|| memcmp(command->arguments[3].data, key->attached[found].number, command->arguments[3].length) != 0)) {
		found++;
	}
	if (found < MODEL_ATTACHED && (found > 0 || key->attached[0].fence != key->fence)) {
		return snprintf(to, size, "*1\r\n:2\r\n");
	}
	if (found == MODEL_ATTACHED) {
		memmove(&key->attached[1], &key->attached[0], sizeof(key->attached) - sizeof(key->attached[0]));
		found = 0;
		key->attached[0].fence = new_fence(model, key);
		snprintf(key->attached[0].number, sizeof(key->attached[0].number), "%.*s", (int) command->arguments[3].length,
			command->arguments[3].data);
	}
	fence = key->attached[found].fence;
	if (key->expires == 0) {
		key->expires = time_ms(model) + lease;
	}
	return snprintf(to, size, "*3\r\n:1\r\n$16\r\n%lld\r\n:%lld\r\n", (long long) fence,
		(long long) left_of(model, key));
}

static int run_force_release(model *model, model_key *key, char *to, size_t size)
{
	if (key->holder_length == 0) {
		return snprintf(to, size, "*1\r\n:0\r\n");
	}
	hand_over(model, key);
	return snprintf(to, size, "*1\r\n:1\r\n");
}

/* What is left of the time that this node sits out, in ms; 0: it is in service. */
static int64_t sit_out(model *model, rl_slice run_id, rl_slice sit_out_ms)
{
	bool known = rl_slice_equal(run_id, rl_slice_text(model->known_run_id));

	expect(rl_slice_equal(run_id, rl_slice_text(model->run_id)), "a client takes this server for another one");
	if (!known || model->sits_out_until > time_ms(model) + number(sit_out_ms)) {
		memcpy(model->known_run_id, model->run_id, sizeof(model->run_id));
		model->sits_out_until = time_ms(model) + number(sit_out_ms);
	}
	return model->sits_out_until > time_ms(model) ? model->sits_out_until - time_ms(model) : 0;
}

static int run_inspect(model *model, const model_key *key, const model_command *command, char *to, size_t size)
{
	int64_t sits_out = command->key_count == 4 ? sit_out(model, command->arguments[0], command->arguments[1]) : 0;
	bool held = key->holder_length > 0 && (key->holder_length <= 8 || memcmp(key->holder, "handoff:", 8) != 0);
	char fence[RL_NUMBER_SIZE] = "";

	if (key->fence > 0) {
		snprintf(fence, sizeof(fence), "%lld", (long long) key->fence);
	}
	return snprintf(to, size, "*6\r\n:%d\r\n$%zu\r\n%.*s\r\n:%lld\r\n$%zu\r\n%s\r\n:%d\r\n:%lld\r\n", held,
		held ? key->holder_length : 0, held ? (int) key->holder_length : 0, key->holder,
		held ? (long long) left_of(model, key) : 0LL, strlen(fence), fence, key->wait_flag_expires != 0,
		(long long) sits_out);
}

static int64_t grant_fence(const model *model, model_key *key, int64_t proposal)
{
	int64_t fence = proposal > model->time_us + 60000000 ? model->time_us : proposal;

	fence = fence > model->time_us - 60000000 ? fence : model->time_us - 60000000;
	key->fence = fence > key->fence ? fence : key->fence + 1;
	return key->fence;
}

static int run_quorum_acquire(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	int64_t left = sit_out(model, command->arguments[4], command->arguments[5]);

	if (left > 0) {
		return snprintf(to, size, "*2\r\n:2\r\n:%lld\r\n", (long long) left);
	}
	if (key->holder_length > 0) {
		return snprintf(to, size, "*2\r\n:0\r\n:%lld\r\n", (long long) left_of(model, key));
	}
	set_holder(model, key, command->arguments[0], number(command->arguments[1]));
	return print_grant(grant_fence(model, key, number(command->arguments[3])), to, size);
}

static int run_quorum_attach(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	int64_t left = sit_out(model, command->arguments[4], command->arguments[5]);

	if (left > 0) {
		return snprintf(to, size, "*2\r\n:2\r\n:%lld\r\n", (long long) left);
	}
	if (!holds(key, command->arguments[0])) {
		return snprintf(to, size, "*1\r\n:0\r\n");
	}
	if (key->expires == 0) {
		key->expires = time_ms(model) + number(command->arguments[1]);
	}
	return snprintf(to, size, "*3\r\n:1\r\n$16\r\n%lld\r\n:%lld\r\n",
		(long long) grant_fence(model, key, number(command->arguments[3])), (long long) left_of(model, key));
}

static int run_raise(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	int64_t left = sit_out(model, command->arguments[3], command->arguments[4]);
	bool stores;

	if (left > 0) {
		return snprintf(to, size, "*2\r\n:2\r\n:%lld\r\n", (long long) left);
	}
	if (!holds(key, command->arguments[0])
			|| (command->arguments[5].length > 0 && number(command->arguments[5]) != key->fence)) {
		return snprintf(to, size, "*1\r\n:0\r\n");
	}
	stores = key->fence < number(command->arguments[1]);
	if (stores) {
		key->fence = number(command->arguments[1]);
	}
	return snprintf(to, size, "*3\r\n:1\r\n$16\r\n%lld\r\n:%d\r\n", (long long) key->fence, stores);
}

static int run_quorum_node(model *model, const model_command *command, char *to, size_t size)
{
	int64_t left;

	if (rl_slice_equal(command->arguments[2], rl_slice_text("serve"))) {
		memcpy(model->known_run_id, model->run_id, sizeof(model->run_id));
		model->sits_out_until = 0;
		return snprintf(to, size, "*1\r\n:1\r\n");
	}
	left = sit_out(model, command->arguments[0], command->arguments[1]);
	if (left == 0) {
		return snprintf(to, size, "*1\r\n:1\r\n");
	}
	return snprintf(to, size, "*2\r\n:0\r\n:%lld\r\n", (long long) left);
}

static int run_script(model *model, model_key *key, const model_command *command, char *to, size_t size)
{
	if (model_is(command, RL_SCRIPT_ACQUIRE)) {
		return run_acquire(model, key, command, to, size);
	}
	if (model_is(command, RL_SCRIPT_POKE)) {
		return run_poke(model, key, command, to, size);
	}
	if (model_is(command, RL_SCRIPT_RENEW)) {
		return run_renew(model, key, command, to, size);
	}
	if (model_is(command, RL_SCRIPT_RELEASE)) {
		return run_release(model, key, command, to, size);
	}
	if (model_is(command, RL_SCRIPT_ATTACH)) {
		return run_attach(model, key, command, to, size);
	}
	if (model_is(command, RL_SCRIPT_FORCE_RELEASE)) {
		return run_force_release(model, key, to, size);
	}
	if (model_is(command, RL_SCRIPT_QUORUM_ACQUIRE)) {
		return run_quorum_acquire(model, key, command, to, size);
	}
	if (model_is(command, RL_SCRIPT_QUORUM_ATTACH)) {
		return run_quorum_attach(model, key, command, to, size);
	}
	if (model_is(command, RL_SCRIPT_RAISE)) {
		return run_raise(model, key, command, to, size);
	}
	expect(model_is(command, RL_SCRIPT_INSPECT), "an unknown script");
	return run_inspect(model, key, command, to, size);
}

size_t model_run(model *model, int client, model_command *command, char *to, size_t size)
{
	unsigned bit = 0;
	int length;

	command->verdict = -1;
	if (command->script == NULL) {
		command->ran = true;
		if (rl_slice_equal(command->arguments[0], rl_slice_text("BLPOP"))) {
			return run_blpop(model, client, command, to, size);
		}
		if (rl_slice_equal(command->arguments[0], rl_slice_text("CLIENT"))) {
			return run_client(model, command, to, size);
		}
		if (rl_slice_equal(command->arguments[0], rl_slice_text("INFO"))) {
			return (size_t) snprintf(to, size, "$%zu\r\n# Server\r\nredis_version:7.0.15\r\nrun_id:%s\r\n\r\n",
				strlen("# Server\r\nredis_version:7.0.15\r\nrun_id:\r\n") + strlen(model->run_id), model->run_id);
		}
		return (size_t) snprintf(to, size, "-ERR unknown command\r\n");
	}
	for (unsigned i = 0; i < RL_SCRIPT_COUNT; i++) {
		bit |= model_is(command, i) ? 1u << i : 0;
	}
	if (command->form == RL_BY_HASH && (model->unknown_scripts & bit) != 0) {
		return (size_t) snprintf(to, size, "-NOSCRIPT No matching script. Please use EVAL.\r\n");
	}
	model->unknown_scripts &= ~bit;
	if (model->readonly) {
		return (size_t) snprintf(to, size, "-READONLY You can't write against a read only replica.\r\n");
	}
	command->ran = true;
	length = model_is(command, RL_SCRIPT_QUORUM_NODE)
		? run_quorum_node(model, command, to, size)
		: run_script(model, model_find(model, command->keys[0]), command, to, size);
	expect(length > 0 && length < (int) size, "the answer does not fit");
	if (to[0] == '$') {
		command->verdict = 1;
	} else if (to[0] == '*' || to[0] == ':') {
		command->verdict = to[to[0] == '*' ? 5 : 1] - '0';
	}
	return (size_t) length;
}
