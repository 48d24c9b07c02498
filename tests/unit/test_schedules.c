/*
 * Thousands of random schedules, the same ones in every run: networks that delay, lose, cut and garble, servers that
 * come and go, signals, forks and exceptions. Whatever happens,
 *   - each call ends within its wait and two command timeouts, and says why,
 *   - each connection that was taken is given back, parked or closed, once;
 * and where the server itself is honest,
 *   - no two locks are held at a time, and whoever is told that it holds the lock does,
 *   - fences grow in the order of the acquisitions,
 *   - true, false and null are what the server's own history says.
 */
#include "fixture.h"

#include "rl_quorum.h"

enum { SCHEDULES = 10000, LOCKS = 4, OPERATIONS = 14, PARENTS = 64 };

/* A lock that a process held as it forked: its child must leave it alone. */
typedef struct parent {
	char token[RL_TOKEN_LENGTH + 1];
	size_t length;
	int64_t valid_until;
} parent;

typedef struct schedule {
	world world;
	uint64_t seed;
	bool garbles;               /* the server is not honest */
	int nodes;                  /* of a quorum; 0: one server */
	rl_lock locks[LOCKS];
	rl_lock *busy;              /* the lock of the present call */
	bool is_busy;
	int first_send;             /* of the present call */
	int64_t highest_fence;
	parent parents[PARENTS];
	int parent_count;
	bool may_fork;
	bool stopped;               /* an exception is on its way: the hook says so once */
	rl_error error;
} schedule;

static schedule *present;

static void fail_schedule(const char *what)
{
	fail_msg("schedule %llu: %s", (unsigned long long) present->seed, what);
}

static void check(bool condition, const char *what)
{
	if (!condition) {
		fail_schedule(what);
	}
}

static uint64_t dice(uint64_t below)
{
	return world_random(&present->world, below);
}

static bool chance(uint64_t percent)
{
	return dice(100) < percent;
}

/* Small numbers as often as large ones. */
static int64_t log_uniform(int64_t least, int64_t most)
{
	int64_t value = least;

	while (value < most && !chance(20)) {
		value *= 2;
	}
	value += (int64_t) dice((uint64_t) value);
	return value < most ? value : most;
}

/* --------------------------------------------------------------------------------------------------- the network */

static void plan_send(struct world *world, const world_sent *command, world_plan *plan)
{
	static const char *const garbage[] = {"+OK\r\n", ":1\r\n", "*0\r\n", "*-1\r\n", "$-1\r\n", "*1\r\n:1\r\n",
		"*1\r\n:0\r\n", "*2\r\n:1\r\n:0\r\n", "*2\r\n:1\r\n:7\r\n", "*2\r\n:0\r\n:9223372036854775807\r\n",
		"*2\r\n:1\r\n:9223372036854775807\r\n", "*3\r\n:1\r\n:5\r\n:5\r\n", "*2\r\n:0\r\n:-1\r\n",
		"*2\r\n$1\r\nx\r\n$3\r\n123\r\n", "*6\r\n:1\r\n$1\r\nt\r\n:5\r\n:1\r\n:0\r\n:0\r\n", "HTTP/1.1 400\r\n",
		"*1\r\n*0\r\n", "*1000\r\n", "-LOADING x\r\n", "-READONLY x\r\n", "-OOM x\r\n", "-NOSCRIPT x\r\n",
		"-UNBLOCKED x\r\n", "-ERR unknown command\r\n", "-NOPERM x\r\n", "-ERR max number of clients reached\r\n",
		"+OK\r\n+OK\r\n", "*2\r\n:1\r\n", "-\r\n", "$0\r\n\r\n"};
	int64_t timeout = world->client.timeout_us;

	(void) command;
	plan->travel_us = log_uniform(10, chance(85) ? timeout / 8 : 3 * timeout);
	plan->answer_us = log_uniform(10, chance(85) ? timeout / 8 : 3 * timeout);
	if (chance(70)) {
		plan->fate = WORLD_ANSWERED;
	} else {
		static const world_fate fates[] = {WORLD_SILENT, WORLD_SILENT, WORLD_BROKEN, WORLD_BROKEN, WORLD_STUCK,
			WORLD_CUT};

		plan->fate = fates[dice(6)];
		if (chance(3)) {
			plan->fate = WORLD_NO_MEMORY;
		}
	}
	if (chance(4)) {
		plan->travel_us = WORLD_NEVER;
	}
	if (present->garbles && chance(20)) {
		plan->reply = garbage[dice(sizeof(garbage) / sizeof(garbage[0]))];
		plan->run_too = chance(50);
	}
}

static void plan_connect(struct world *world, int server, world_connect_plan *plan)
{
	(void) server;
	plan->delay_us = log_uniform(10,
		chance(85) ? world->client.connect_timeout_us / 4 : 2 * world->client.connect_timeout_us);
	if (!chance(80)) {
		static const world_connect_fate fates[] = {WORLD_REFUSED, WORLD_REFUSED, WORLD_HANGING, WORLD_LOGIN_REFUSED};

		plan->fate = fates[dice(4)];
		if (chance(5)) {
			plan->fate = WORLD_NO_CONNECTION;
		}
	}
}

/* ------------------------------------------------------------------------------------------------ the application */

static void remember_parent(const rl_lock *lock)
{
	parent *kept = &present->parents[present->parent_count];

	if (present->garbles || (present->is_busy && lock == present->busy) || present->parent_count == PARENTS
			|| !rl_lock_is_held(lock, &present->world.client) || lock->token_length > RL_TOKEN_LENGTH) {
		return;
	}
	memcpy(kept->token, lock->token, lock->token_length);
	kept->length = lock->token_length;
	kept->valid_until = lock->valid_until;
	present->parent_count++;
}

/* From here on we are the child. */
static void fork_now(void)
{
	for (int i = 0; i < LOCKS; i++) {
		remember_parent(&present->locks[i]);
	}
	present->world.process++;
}

static bool interrupted(struct world *world)
{
	(void) world;
	/* As PHP: no handler runs while an exception is on its way. */
	if (present->stopped) {
		return false;
	}
	if (present->may_fork && chance(2)) {
		fork_now();
	}
	present->stopped = chance(4);
	return present->stopped;
}

/* -------------------------------------------------------------------------------------------------------- checks */

/* One server, or a majority of the nodes. */
static bool servers_hold(const rl_keys *keys, rl_slice token)
{
	int holding = 0;

	if (present->nodes == 0) {
		return world_holds(&present->world, keys, token);
	}
	for (int i = 0; i < present->nodes; i++) {
		holding += model_holds(world_server(&present->world, i), keys->lock, token);
	}
	return holding > present->nodes / 2;
}

static void check_ownership(void)
{
	world *world = &present->world;
	int held = 0;

	if (present->garbles) {
		return;
	}
	for (int i = 0; i < LOCKS; i++) {
		const rl_lock *lock = &present->locks[i];

		if (rl_lock_is_held(lock, &world->client)) {
			held++;
			check(servers_hold(&lock->keys, rl_slice_make(lock->token, lock->token_length)),
				"a lock says that it is held, and the server says that it is not");
			check(present->nodes > 0 || world_look(world, &lock->keys)->fence >= lock->fence,
				"the stored fence is smaller than the one handed out");
		}
	}
	for (int i = 0; i < present->parent_count; i++) {
		const parent *kept = &present->parents[i];

		if (kept->valid_until > world->now) {
			held++;
			check(servers_hold(&present->locks[0].keys, rl_slice_make(kept->token, kept->length)),
				"a child took away what its parent held");
		}
	}
	check(held <= 1, "two locks are held at a time");
}

static void pass(int64_t microseconds)
{
	for (int i = 0; i < 4; i++) {
		world_pass(&present->world, microseconds / 4);
		check_ownership();
	}
}

/* Whether one of the sends of the present call, of this script, was answered so by the server, or by a majority. */
static bool server_said(rl_script_id script, int verdict)
{
	int votes = 0;

	for (int i = present->first_send; i < present->world.sent_count; i++) {
		const world_sent *command = &present->world.sent[i];

		votes += world_is(command, script) && command->command.ran && command->command.verdict == verdict;
	}
	return votes > present->nodes / 2;
}

static void check_fence(int64_t fence)
{
	if (!present->garbles) {
		check(fence > present->highest_fence, "a fence is not larger than every one before");
		present->highest_fence = fence;
	}
}

/* SCHEDULE=seed test_schedules prints what happens in that one. */
static void tell(const char *what, const rl_lock *lock, int64_t began, rl_status status)
{
	const world *world = &present->world;

	if (getenv("SCHEDULE") == NULL) {
		return;
	}
	printf("%s of lock %d by %d from %.6f to %.6f: %d %s\n", what, lock == NULL ? -1 : (int) (lock - present->locks),
		world->process, (double) began / S, (double) world->now / S, status,
		status == RL_OK ? "" : present->error.message);
	for (int i = present->first_send; i < world->sent_count; i++) {
		const world_sent *command = &world->sent[i];

		printf("\t%.6f %d:%d %s %.*s", (double) command->at / S, command->process, command->connection,
			command->command.script == NULL ? "plain" : command->command.script->name,
			(int) command->command.arguments[0].length, command->command.arguments[0].data);
		printf(command->command.ran ? " ran: %d\n" : " did not run yet\n", command->command.verdict);
	}
}

static void begin_call(rl_lock *lock)
{
	present->busy = lock;
	present->is_busy = true;
	present->stopped = false;
	present->first_send = present->world.sent_count;
	memset(&present->error, 0x7f, sizeof(present->error));
}

static void end_call(const char *what, int64_t began, int64_t budget, rl_status status)
{
	world *world = &present->world;

	present->is_busy = false;
	tell(what, present->busy, began, status);
	check(world->now <= began + budget, "a call took longer than its wait and two timeouts");
	check(world_count(world, WORLD_BUSY) == 0, "a connection was neither given back, parked nor closed");
	check((int) status >= RL_OK && status < RL_INVALID && (status == RL_QUORUM) <= (present->nodes > 0),
		"an impossible status");
	if (status != RL_OK && status != RL_NO && status != RL_INTERRUPTED) {
		check(present->error.status == status, "the error is not the one that was returned");
		assert_printable(&present->error);
		check(present->error.message[0] != '\0', "an error without a message");
	}
	check((status == RL_INTERRUPTED) == present->stopped || present->stopped, "interrupted by nobody");
	check_ownership();
}

/* ---------------------------------------------------------------------------------------------------- operations */

static void another_releases(struct world *world)
{
	const rl_keys *keys = &present->locks[0].keys;
	model_command command = {
		.script = rl_script_get(RL_SCRIPT_RELEASE),
		.form = RL_BY_TEXT,
		.key_count = 4,
		.keys = {keys->lock, keys->fence, keys->wait, keys->wake},
		.argument_count = 2,
		.arguments = {rl_slice_text("another"), rl_slice_text("")}
	};
	char answer[1024];

	model_run(world_server(world, 0), -1, &command, answer, sizeof(answer));
}

/* Somebody else holds the lock, if nobody does, for some time of the wait. */
static void let_another_hold(int64_t wait_ms)
{
	world *world = &present->world;
	model_key *key = world_look(world, &present->locks[0].keys);

	world->act_first = world->act_count = 0;
	if (present->nodes > 0 || key->holder_length > 0 || wait_ms == 0 || chance(50)) {
		return;
	}
	memcpy(key->holder, "another", 7);
	key->holder_length = 7;
	key->expires = world_server(world, 0)->time_us / 1000 + log_uniform(1, 2 * wait_ms);
	key->fence = world->server->time_us;
	if (chance(70)) {
		world_at(world, log_uniform(1, wait_ms * MS), another_releases);
	}
}

static void do_acquire(rl_lock *lock, bool chosen)
{
	world *world = &present->world;
	int64_t wait_ms = chance(50) ? 0 : log_uniform(1, 20000);
	int64_t began = world->now;
	rl_slice token = rl_slice_text("shared");
	rl_status status;

	let_another_hold(wait_ms);
	begin_call(lock);
	status = rl_lock_acquire(lock, &world->client, wait_ms, chosen ? &token : NULL, &present->error);
	if (status == RL_OK) {
		check(rl_lock_is_held(lock, &world->client), "acquired and not held");
		check_fence(lock->fence);
	} else {
		check(!rl_lock_is_held(lock, &world->client) && lock->token == NULL, "not acquired and held");
	}
	if (status == RL_NO && !present->garbles && present->nodes == 0) {
		check(server_said(RL_SCRIPT_ACQUIRE, 0), "contention that the server knows nothing of");
	}
	end_call("acquire", began, wait_ms * MS + 2 * world->client.timeout_us, status);
	check(lock->unanswered_count >= 0 && lock->unanswered_count <= RL_MAX_UNANSWERED,
		"too many tokens are remembered");
	check(lock->uncertain == false || lock->unanswered_count > 0, "uncertain about nothing");
}

static void do_release(rl_lock *lock)
{
	world *world = &present->world;
	int64_t began = world->now;
	int process = world->process;
	bool known = lock->token != NULL && lock->process == process;
	rl_status status;

	begin_call(lock);
	status = rl_lock_release(lock, &world->client, &present->error);
	if (!present->garbles) {
		if (status == RL_OK) {
			check(server_said(RL_SCRIPT_RELEASE, 1), "released, and the server knows nothing of it");
		} else if (status == RL_NO && known && world->process == process) {
			check(!server_said(RL_SCRIPT_RELEASE, 1),
				"the server released it, and the caller is told that it was not ours");
		}
	}
	if (status == RL_OK || status == RL_NO || status == RL_UNCERTAIN || status == RL_QUORUM) {
		check(!rl_lock_is_held(lock, &world->client), "released and held");
	}
	end_call("release", began, 2 * world->client.timeout_us, status);
}

static void do_renew(rl_lock *lock)
{
	world *world = &present->world;
	int64_t began = world->now;
	int process = world->process;
	bool held = rl_lock_is_held(lock, &world->client);
	int64_t valid_until = lock->valid_until;
	rl_status status;

	begin_call(lock);
	status = rl_lock_renew(lock, &world->client, log_uniform(RL_LEASE_MIN_MS, 60000), &present->error);
	if (status == RL_OK) {
		check(rl_lock_is_held(lock, &world->client), "renewed and not held");
		check(lock->valid_until >= valid_until, "a renewal made the lease shorter");
		check(present->garbles || server_said(RL_SCRIPT_RENEW, 1), "renewed, and the server knows nothing of it");
	} else if (status != RL_NO && held && world->process == process) {
		check(lock->valid_until == valid_until, "a renewal that failed changed the lease");
	}
	end_call("renew", began, 2 * world->client.timeout_us, status);
}

/* Hands the lock of one object to another one. */
static void do_attach(rl_lock *from, rl_lock *to)
{
	world *world = &present->world;
	int64_t began = world->now;
	char token[RL_TOKEN_LENGTH];
	size_t length = from->token_length;
	rl_status status;

	if (from == to || !rl_lock_is_held(from, &world->client) || rl_lock_is_held(to, &world->client)
			|| length > sizeof(token)) {
		return;
	}
	memcpy(token, from->token, length);
	rl_lock_forget(from);
	begin_call(to);
	status = rl_lock_attach(to, &world->client, rl_slice_make(token, length), &present->error);
	if (status == RL_OK) {
		check(rl_lock_is_held(to, &world->client), "attached and not held");
		check_fence(to->fence);
	}
	end_call("attach", began, 2 * world->client.timeout_us, status);
}

static void do_abandon(rl_lock *lock)
{
	world *world = &present->world;
	int64_t began = world->now;
	int64_t budget = world->client.timeout_us;

	begin_call(lock);
	rl_lock_abandon(lock, &world->client);
	check(!rl_lock_owes_release(lock, &world->client), "abandoned and not forgotten");
	check(world->interruptions == 0 || world->last_interruption <= began, "a destructor ran code of the application");
	end_call("abandon", began, budget, RL_OK);
}

static void do_inspect(const rl_lock *lock)
{
	world *world = &present->world;
	int64_t began = world->now;
	rl_inspection inspection;
	rl_status status;

	begin_call(NULL);
	status = rl_inspect(&world->client, &lock->keys, &inspection, &present->error);
	rl_buffer_free(&inspection.token);
	end_call("inspect", began, 2 * world->client.timeout_us, status);
}

static void do_by_token(const rl_lock *lock)
{
	world *world = &present->world;
	int64_t began = world->now;
	rl_status status;

	begin_call(NULL);
	status = chance(50)
		? rl_token_release(&world->client, &lock->keys, rl_slice_text("nobody"), &present->error)
		: rl_token_renew(&world->client, &lock->keys, rl_slice_text("nobody"), 1000, &present->error);
	check(present->garbles || status != RL_OK, "a token that nobody has held the lock");
	end_call("by token", began, 2 * world->client.timeout_us, status);
}

/* A lock that is held, more often than not, if there is one. */
static int pick(void)
{
	for (int i = 0; i < LOCKS && chance(90); i++) {
		if (rl_lock_is_held(&present->locks[i], &present->world.client)) {
			return i;
		}
	}
	return (int) dice(LOCKS);
}

static void operate(void)
{
	int i = pick();
	rl_lock *lock = &present->locks[i];

	switch (dice(10)) {
		case 0:
		case 1:
		case 2:
			i = (int) dice(LOCKS);
			lock = &present->locks[i];
			if (!rl_lock_is_held(lock, &present->world.client)) {
				do_acquire(lock, i >= 2);
				break;
			}
			do_release(lock);
			break;
		case 3:
			do_release(lock);
			break;
		case 4:
		case 5:
		case 6:
			/* Those with the same token count as one owner to renew, so one can renew what the other has by now. */
			if (!lock->chosen || rl_lock_is_held(lock, &present->world.client)) {
				do_renew(lock);
			}
			break;
		case 7:
			do_attach(lock, &present->locks[dice(LOCKS)]);
			break;
		case 8:
			do_abandon(lock);
			break;
		default:
			chance(50) ? do_inspect(lock) : do_by_token(lock);
	}
}

/* Between two calls. */
static void disturb(void)
{
	world *world = &present->world;

	if (chance(10)) {
		world->servers[dice(WORLD_SERVERS)].unknown_scripts = ~0u;
	}
	if (chance(10)) {
		world_close_idle(world);
	}
	if (present->may_fork && chance(5)) {
		fork_now();
	}
	for (int i = 0; i < WORLD_SERVERS; i++) {
		world->servers[i].readonly = chance(3);
		world->servers[i].full = chance(3);
	}
	world->server->cannot_block = chance(10);
	world->client.endpoint->cannot_block = world->server->cannot_block && chance(50);
	world->random_fails = chance(2);
	world->signal_at = chance(30) ? world->now + log_uniform(1, 5 * S) : 0;
	world->signal_every_us = chance(50) ? log_uniform(1000, S) : 0;
}

/* Independent nodes, whose clocks are not the same. */
static void make_quorum(void)
{
	world *world = &present->world;

	world_make_quorum(world, present->nodes);
	for (int i = 0; i < present->nodes; i++) {
		world->ahead_us[i] = log_uniform(1, 30 * S) - log_uniform(1, 30 * S);
	}
	world->wall_ahead_us = log_uniform(1, 300 * S) - log_uniform(1, 300 * S);
	check(rl_quorum_initialize(&world->client, &present->error) == RL_OK, "the quorum cannot be initialized");
}

static void run_schedule(uint64_t seed, bool garbles, int nodes)
{
	schedule schedule = {.seed = seed, .garbles = garbles, .nodes = nodes};
	world *world = &schedule.world;

	present = &schedule;
	model_failure = fail_schedule;
	world_begin(world, seed);
	if (nodes > 0) {
		make_quorum();
	}
	world->plan = plan_send;
	world->plan_connect = plan_connect;
	world->interrupted = interrupted;
	world->client.timeout_us = log_uniform(1 * MS, 3 * S);
	world->client.connect_timeout_us = log_uniform(10 * MS, 5 * S);
	world->client.retry_for_us = log_uniform(10 * MS, 20 * S);
	schedule.may_fork = chance(30);
	for (int i = 0; i < LOCKS; i++) {
		rl_lock_init(&schedule.locks[i], world->client.prefix, rl_slice_text("job"),
			log_uniform(RL_LEASE_MIN_MS, 60000), &schedule.error);
	}
	for (int i = 0; i < OPERATIONS; i++) {
		disturb();
		operate();
		pass(log_uniform(1, 10 * S));
	}
	for (int i = 0; i < LOCKS; i++) {
		rl_lock_free(&schedule.locks[i]);
	}
	world_end(world);
}

static void run_schedules(bool garbles, int nodes)
{
	const char *only = getenv("SCHEDULE");

	if (only != NULL) {
		run_schedule(strtoull(only, NULL, 10), garbles, nodes);
		return;
	}
	/* A quorum takes longer. */
	for (uint64_t seed = 1; seed <= (nodes > 0 ? SCHEDULES / 4 : SCHEDULES); seed++) {
		run_schedule(seed, garbles, nodes);
	}
}

static void an_honest_server_on_a_bad_network(void **state)
{
	(void) state;
	run_schedules(false, 0);
}

static void a_server_that_answers_anything(void **state)
{
	(void) state;
	run_schedules(true, 0);
}

static void an_honest_quorum_on_a_bad_network(void **state)
{
	(void) state;
	run_schedules(false, 3);
	run_schedules(false, 5);
}

static void a_quorum_that_answers_anything(void **state)
{
	(void) state;
	run_schedules(true, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_honest_server_on_a_bad_network),
		cmocka_unit_test(a_server_that_answers_anything),
		cmocka_unit_test(an_honest_quorum_on_a_bad_network),
		cmocka_unit_test(a_quorum_that_answers_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
