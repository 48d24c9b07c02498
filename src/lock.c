#include "lock.h"

#include "client.h"
#include "exceptions.h"

#include "zend_exceptions.h"

#include "core/rl_clock.h"

zend_class_entry *redislock_ce_lock;
zend_class_entry *redislock_ce_mutex;
zend_class_entry *redislock_ce_mutex_factory;
static zend_object_handlers lock_handlers;

static const rl_client *client_of(const php_redislock_lock *lock)
{
	return &php_redislock_client_from(lock->client)->core;
}

static zend_object *create(zend_class_entry *class_entry)
{
	php_redislock_lock *lock = zend_object_alloc(sizeof(*lock), class_entry);

	memset(lock, 0, offsetof(php_redislock_lock, std));
	zend_object_std_init(&lock->std, class_entry);
	object_properties_init(&lock->std, class_entry);
	lock->std.handlers = &lock_handlers;
	return &lock->std;
}

static void release_automatically(php_redislock_lock *lock)
{
	if (lock->client != NULL && lock->auto_release) {
		rl_lock_abandon(&lock->core, client_of(lock));
	}
}

static void destroy_object(zend_object *object)
{
	release_automatically(php_redislock_lock_from(object));
}

static void free_object(zend_object *object)
{
	php_redislock_lock *lock = php_redislock_lock_from(object);

	/* After a fatal error objects are freed without being destroyed. */
	release_automatically(lock);
	if (lock->link != NULL) {
		*lock->link = lock->next;
		if (lock->next != NULL) {
			lock->next->link = lock->link;
		}
	}
	rl_lock_free(&lock->core);
	if (lock->client != NULL) {
		OBJ_RELEASE(lock->client);
	}
	zend_object_std_dtor(object);
}

void php_redislock_release_all(void)
{
	for (php_redislock_lock *lock = REDISLOCK_G(locks); lock != NULL; lock = lock->next) {
		release_automatically(lock);
	}
}

static void add_fence(zval *array, const rl_lock *lock)
{
	if (lock->fence > 0) {
		add_assoc_long(array, "fence", (zend_long) lock->fence);
	} else {
		add_assoc_null(array, "fence");
	}
}

/* Everything that helps to understand a lock, and not its token: dumps end in logs. */
static HashTable *get_debug_info(zend_object *object, int *is_temporary)
{
	php_redislock_lock *lock = php_redislock_lock_from(object);
	zval info;

	*is_temporary = 1;
	array_init(&info);
	if (lock->client != NULL) {
		int64_t left = rl_lock_remaining(&lock->core, client_of(lock));

		Z_TRY_ADDREF_P(OBJ_PROP_NUM(object, 0));
		add_assoc_zval(&info, "name", OBJ_PROP_NUM(object, 0));
		add_assoc_double(&info, "ttl", Z_DVAL_P(OBJ_PROP_NUM(object, 1)));
		add_assoc_bool(&info, "autoRelease", lock->auto_release);
		add_assoc_bool(&info, "held", left > 0);
		add_assoc_double(&info, "remaining", (double) left / RL_US_PER_S);
		add_fence(&info, &lock->core);
		php_redislock_client_describe(php_redislock_client_from(lock->client), &info);
	}
	return Z_ARRVAL(info);
}

void php_redislock_lock_init(void)
{
	redislock_ce_lock->create_object = create;
	lock_handlers = std_object_handlers;
	lock_handlers.offset = offsetof(php_redislock_lock, std);
	lock_handlers.dtor_obj = destroy_object;
	lock_handlers.free_obj = free_object;
	lock_handlers.clone_obj = NULL;
	lock_handlers.get_debug_info = get_debug_info;
}

/* A name that is wrong is argument 1 of whoever called. */
static bool init_core(php_redislock_lock *lock, rl_slice prefix, zend_string *name, int64_t lease_ms)
{
	rl_error error;

	if (rl_lock_init(&lock->core, prefix, rl_slice_make(ZSTR_VAL(name), ZSTR_LEN(name)), lease_ms, &error) == RL_OK) {
		return true;
	}
	if (error.status == RL_INVALID) {
		zend_argument_value_error(1, "%s", error.message);
	} else {
		php_redislock_throw(NULL, &error);
	}
	return false;
}

bool php_redislock_read_ttl(uint32_t argument, double ttl, const rl_client *client, int64_t *lease_ms)
{
	if (!rl_clock_to_ms(ttl, RL_LEASE_MIN_SECONDS, RL_LEASE_MAX_SECONDS, lease_ms)) {
		zend_argument_value_error(argument, "must be from %g to %.1f seconds (10 ms to 31 days)", RL_LEASE_MIN_SECONDS,
			RL_LEASE_MAX_SECONDS);
		return false;
	}
	if (client->nodes != NULL && *lease_ms > client->quorum_max_ttl_ms) {
		zend_argument_value_error(argument, "must be at most %g seconds on a quorum (redislock.quorum_max_ttl): renew longer "
			"leases", (double) client->quorum_max_ttl_ms / 1000);
		return false;
	}
	return true;
}

static bool read_wait(uint32_t argument, double wait, int64_t *wait_ms)
{
	if (!rl_clock_to_ms(wait, 0, RL_WAIT_MAX_SECONDS, wait_ms)) {
		zend_argument_value_error(argument, "must be from 0 to %.1f seconds (one day)", RL_WAIT_MAX_SECONDS);
		return false;
	}
	return true;
}

bool php_redislock_lock_construct(zend_object *object, zend_string *name, double ttl, zend_object *client,
	bool auto_release)
{
	php_redislock_lock *lock = php_redislock_lock_from(object);
	int64_t lease_ms;

	if (client == NULL) {
		client = php_redislock_default_client();
		if (client == NULL) {
			return false;
		}
	}
	if (!php_redislock_read_ttl(2, ttl, &php_redislock_client_from(client)->core, &lease_ms)) {
		return false;
	}
	if (!init_core(lock, php_redislock_client_from(client)->core.prefix, name, lease_ms)) {
		return false;
	}
	GC_ADDREF(client);
	lock->core.account.group = rl_stats_find_group(php_redislock_stats, rl_slice_make(ZSTR_VAL(name), ZSTR_LEN(name)));
	lock->client = client;
	lock->auto_release = auto_release;
	lock->next = REDISLOCK_G(locks);
	lock->link = &REDISLOCK_G(locks);
	if (lock->next != NULL) {
		lock->next->link = &lock->next;
	}
	REDISLOCK_G(locks) = lock;
	/* Written past the write handler, which is slower and would ask whether the scope may initialise them. */
	ZVAL_STR_COPY(OBJ_PROP_NUM(object, 0), name);
	ZVAL_DOUBLE(OBJ_PROP_NUM(object, 1), ttl);
	Z_PROP_FLAG_P(OBJ_PROP_NUM(object, 0)) = 0;
	Z_PROP_FLAG_P(OBJ_PROP_NUM(object, 1)) = 0;
	return true;
}

PHP_METHOD(RedisLock, __construct)
{
	php_redislock_lock *lock = php_redislock_lock_from(Z_OBJ_P(ZEND_THIS));
	zend_object *client = NULL;
	zend_string *name;
	double ttl = PHP_REDISLOCK_DEFAULT_TTL;
	bool auto_release = true;

	ZEND_PARSE_PARAMETERS_START(1, 4)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(ttl)
		Z_PARAM_OBJ_OF_CLASS_OR_NULL(client, redislock_ce_client)
		Z_PARAM_BOOL(auto_release)
	ZEND_PARSE_PARAMETERS_END();

	if (lock->client != NULL) {
		zend_throw_error(redislock_ce_error, "This RedisLock is constructed already");
		RETURN_THROWS();
	}
	if (client != NULL && php_redislock_client_from(client)->core.endpoint == NULL) {
		zend_throw_error(redislock_ce_error, "The RedisLock\\Client was not constructed");
		RETURN_THROWS();
	}
	php_redislock_lock_construct(Z_OBJ_P(ZEND_THIS), name, ttl, client, auto_release);
}

/* The lock of $this for a method that only reads. NULL: an error was thrown. */
static php_redislock_lock *get_lock(zval *this)
{
	php_redislock_lock *lock = php_redislock_lock_from(Z_OBJ_P(this));

	if (lock->client == NULL) {
		zend_throw_error(redislock_ce_error, "This RedisLock was not constructed");
		return NULL;
	}
	return lock;
}

/* The lock of $this for a method that changes it; lock->busy is to be cleared at its end. NULL: an error was thrown. */
static php_redislock_lock *begin(zval *this)
{
	php_redislock_lock *lock = get_lock(this);

	if (lock != NULL && lock->busy) {
		zend_throw_error(redislock_ce_error, "This RedisLock is in use: a signal handler interrupted one of its calls");
		return NULL;
	}
	if (lock != NULL) {
		lock->busy = true;
	}
	return lock;
}

static void throw_status(const php_redislock_lock *lock, rl_status status, rl_error *error)
{
	error->status = status;
	php_redislock_throw(client_of(lock), error);
}

/* Throws if the lock is held. */
static bool require_free(php_redislock_lock *lock, const char *method)
{
	if (!rl_lock_is_held(&lock->core, client_of(lock))) {
		return true;
	}
	zend_throw_error(redislock_ce_error, "RedisLock::%s(): this object holds the lock already", method);
	return false;
}

static rl_status acquire(php_redislock_lock *lock, int64_t wait_ms, const rl_slice *token, rl_error *error)
{
	rl_status status = rl_lock_acquire(&lock->core, client_of(lock), wait_ms, token, error);

	if (status == RL_OK) {
		lock->given_up = false;
	}
	if (client_of(lock)->endpoint->cannot_block && !REDISLOCK_G(polling_reported)) {
		REDISLOCK_G(polling_reported) = true;
		php_error_docref(NULL, E_WARNING, "%s does not permit BLPOP: waiting for a lock means polling, slower and in no "
			"order (see docs/operations.md for the ACL line that redislock needs)", client_of(lock)->endpoint->display);
	}
	return status;
}

PHP_METHOD(RedisLock, acquire)
{
	php_redislock_lock *lock;
	zend_string *token = NULL;
	double wait = 0;
	int64_t wait_ms;
	rl_slice slice;
	rl_status status;
	rl_error error;

	ZEND_PARSE_PARAMETERS_START(0, 2)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
		Z_PARAM_STR_OR_NULL(token)
	ZEND_PARSE_PARAMETERS_END();

	if (!read_wait(1, wait, &wait_ms)) {
		RETURN_THROWS();
	}
	if (token != NULL) {
		const char *problem;

		slice = rl_slice_make(ZSTR_VAL(token), ZSTR_LEN(token));
		problem = rl_token_problem(slice, RL_TOKEN_MAX_CHOSEN);
		if (problem != NULL) {
			zend_argument_value_error(2, "%s", problem);
			RETURN_THROWS();
		}
	}
	lock = begin(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	if (require_free(lock, "acquire")) {
		status = acquire(lock, wait_ms, token == NULL ? NULL : &slice, &error);
		if (status == RL_OK) {
			RETVAL_LONG((zend_long) lock->core.fence);
		} else if (status != RL_NO) {
			throw_status(lock, status, &error);
		}
	}
	lock->busy = false;
}

PHP_METHOD(RedisLock, attach)
{
	php_redislock_lock *lock;
	zend_string *token;
	const char *problem;
	rl_slice slice;
	rl_status status;
	rl_error error;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(token)
	ZEND_PARSE_PARAMETERS_END();

	slice = rl_slice_make(ZSTR_VAL(token), ZSTR_LEN(token));
	problem = rl_token_problem(slice, RL_TOKEN_MAX_FOREIGN);
	if (problem != NULL) {
		zend_argument_value_error(1, "%s", problem);
		RETURN_THROWS();
	}
	lock = begin(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	if (require_free(lock, "attach")) {
		status = rl_lock_attach(&lock->core, client_of(lock), slice, &error);
		if (status == RL_OK) {
			lock->given_up = false;
			RETVAL_LONG((zend_long) lock->core.fence);
		} else if (status != RL_NO) {
			throw_status(lock, status, &error);
		}
	}
	lock->busy = false;
}

PHP_METHOD(RedisLock, renew)
{
	php_redislock_lock *lock;
	bool is_null = true;
	int64_t lease_ms;
	double ttl = 0;
	rl_status status;
	rl_error error;

	ZEND_PARSE_PARAMETERS_START(0, 1)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE_OR_NULL(ttl, is_null)
	ZEND_PARSE_PARAMETERS_END();

	lock = get_lock(ZEND_THIS);
	if (lock == NULL || (!is_null && !php_redislock_read_ttl(1, ttl, client_of(lock), &lease_ms))) {
		RETURN_THROWS();
	}
	if (begin(ZEND_THIS) == NULL) {
		RETURN_THROWS();
	}
	status = rl_lock_renew(&lock->core, client_of(lock), is_null ? lock->core.lease_ms : lease_ms, &error);
	if (status == RL_OK || status == RL_NO) {
		RETVAL_BOOL(status == RL_OK);
	} else {
		throw_status(lock, status, &error);
	}
	lock->busy = false;
}

PHP_METHOD(RedisLock, release)
{
	php_redislock_lock *lock;
	rl_status status;
	rl_error error;

	ZEND_PARSE_PARAMETERS_NONE();

	lock = begin(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	status = rl_lock_release(&lock->core, client_of(lock), &error);
	if (status == RL_OK || status == RL_NO) {
		lock->given_up = true;
		RETVAL_BOOL(status == RL_OK);
	} else {
		throw_status(lock, status, &error);
	}
	lock->busy = false;
}

PHP_METHOD(RedisLock, isHeld)
{
	php_redislock_lock *lock;

	ZEND_PARSE_PARAMETERS_NONE();

	lock = get_lock(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	RETURN_BOOL(rl_lock_is_held(&lock->core, client_of(lock)));
}

PHP_METHOD(RedisLock, remaining)
{
	php_redislock_lock *lock;

	ZEND_PARSE_PARAMETERS_NONE();

	lock = get_lock(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	RETURN_DOUBLE((double) rl_lock_remaining(&lock->core, client_of(lock)) / RL_US_PER_S);
}

PHP_METHOD(RedisLock, fence)
{
	php_redislock_lock *lock;

	ZEND_PARSE_PARAMETERS_NONE();

	lock = get_lock(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	if (lock->core.fence > 0) {
		RETURN_LONG((zend_long) lock->core.fence);
	}
}

PHP_METHOD(RedisLock, token)
{
	php_redislock_lock *lock;

	ZEND_PARSE_PARAMETERS_NONE();

	lock = get_lock(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	if (rl_lock_is_held(&lock->core, client_of(lock))) {
		RETURN_STRINGL(lock->core.token, lock->core.token_length);
	}
}

PHP_METHOD(RedisLock, detach)
{
	php_redislock_lock *lock;

	ZEND_PARSE_PARAMETERS_NONE();

	lock = begin(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	lock->busy = false;
	if (!rl_lock_is_held(&lock->core, client_of(lock))) {
		zend_throw_error(redislock_ce_error, "RedisLock::detach(): this object does not hold the lock");
		RETURN_THROWS();
	}
	RETVAL_STRINGL(lock->core.token, lock->core.token_length);
	rl_lock_forget(&lock->core);
	lock->given_up = true;
}

/*
 * The callback is over, so the object does not count as the holder any more. Its token is kept where Redis could not be
 * told: the next acquire, or the end of the object, tells it.
 */
static void stop_holding(php_redislock_lock *lock)
{
	lock->core.valid_until = 0;
}

/* After the callback threw: the lock is given back as well as it goes, and the exception goes on unchanged. */
static void release_quietly(php_redislock_lock *lock)
{
	rl_error error;

	rl_lock_release(&lock->core, client_of(lock), &error);
	stop_holding(lock);
}

/* The name for a message: printable, and not at any length. */
static void show_name(const php_redislock_lock *lock, char *to, size_t size)
{
	zend_string *name = Z_STR_P(OBJ_PROP_NUM(&lock->std, 0));
	size_t length = ZSTR_LEN(name) < size ? ZSTR_LEN(name) : size - 1;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char) ZSTR_VAL(name)[i];

		to[i] = c < ' ' || c == 0x7f ? '?' : (char) c;
	}
	to[length] = '\0';
}

static void throw_lost(const php_redislock_lock *lock, const char *why, zval *result)
{
	char name[100];
	char message[256];

	show_name(lock, name, sizeof(name));
	snprintf(message, sizeof(message), "Lock \"%s\": %s", name, why);
	php_redislock_throw_lost(message, result);
}

/* After the callback returned: gives the lock back, and throws if it was not ours all the time. */
static void release_after(php_redislock_lock *lock, zval *result)
{
	int64_t valid_until = lock->core.valid_until;
	const rl_client *client = client_of(lock);
	rl_status status;
	rl_error error;

	if (lock->given_up) {
		return;
	}
	if (!rl_lock_is_held(&lock->core, client)) {
		release_quietly(lock);
		if (EG(exception) == NULL) {
			throw_lost(lock, "its lease was over when the callback returned", result);
		}
		return;
	}
	status = rl_lock_release(&lock->core, client, &error);
	stop_holding(lock);
	if (status == RL_OK || EG(exception) != NULL) {
		return;
	}
	/* Redis cannot be asked: the work was done under the lease if that is not over yet. */
	if (status == RL_NO || client->runtime->now(client->runtime->context) >= valid_until) {
		throw_lost(lock, "it was no longer ours when the callback returned", result);
	}
}

PHP_METHOD(RedisLock, synchronized)
{
	zend_fcall_info call;
	zend_fcall_info_cache cache;
	php_redislock_lock *lock;
	zval arguments[2];
	int64_t wait_ms;
	double wait = 0;
	rl_status status;
	rl_error error;
	bool held;

	ZEND_PARSE_PARAMETERS_START(1, 2)
		Z_PARAM_FUNC(call, cache)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(wait)
	ZEND_PARSE_PARAMETERS_END();

	if (!read_wait(2, wait, &wait_ms)) {
		RETURN_THROWS();
	}
	lock = begin(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	held = !require_free(lock, "synchronized");
	status = held ? RL_INTERRUPTED : acquire(lock, wait_ms, NULL, &error);
	lock->busy = false;
	if (status == RL_NO) {
		char name[100];

		show_name(lock, name, sizeof(name));
		zend_throw_exception_ex(redislock_ce_not_acquired_exception, 0,
			"Lock \"%s\": it was held by somebody else to the end of the wait", name);
	} else if (status != RL_OK && !held) {
		throw_status(lock, status, &error);
	}
	if (status != RL_OK) {
		RETURN_THROWS();
	}
	ZVAL_LONG(&arguments[0], (zend_long) lock->core.fence);
	ZVAL_OBJ(&arguments[1], Z_OBJ_P(ZEND_THIS));
	call.params = arguments;
	call.param_count = 2;
	call.retval = return_value;
	zend_call_function(&call, &cache);
	if (Z_ISREF_P(return_value)) {
		zend_unwrap_reference(return_value);
	}
	lock->busy = true;
	if (EG(exception) != NULL) {
		if (!lock->given_up) {
			release_quietly(lock);
		}
	} else {
		release_after(lock, return_value);
	}
	lock->busy = false;
}
