/* The methods of RedisLock that are about one lock; those that count are in metrics.c. */
#include "lock.h"

#include "arguments.h"
#include "exceptions.h"

#include "zend_exceptions.h"

#include "core/rl_clock.h"

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
	php_redislock_throw(php_redislock_client_of(lock), error);
}

/* Throws if the lock is held. */
static bool require_free(php_redislock_lock *lock, const char *method)
{
	if (!rl_lock_is_held(&lock->core, php_redislock_client_of(lock))) {
		return true;
	}
	zend_throw_error(redislock_ce_error, "RedisLock::%s(): this object holds the lock already", method);
	return false;
}

static rl_status acquire(php_redislock_lock *lock, int64_t wait_ms, const rl_slice *token, rl_error *error)
{
	const rl_client *client = php_redislock_client_of(lock);
	rl_status status = rl_lock_acquire(&lock->core, client, wait_ms, token, error);

	if (status == RL_OK) {
		lock->given_up = false;
	}
	if (client->endpoint->cannot_block && !REDISLOCK_G(polling_reported)) {
		REDISLOCK_G(polling_reported) = true;
		php_error_docref(NULL, E_WARNING, "%s does not permit BLPOP: waiting for a lock means polling, slower and in no "
			"order (see docs/operations.md for the ACL line that redislock needs)", client->endpoint->display);
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

	if (!php_redislock_read_wait(1, wait, &wait_ms)
			|| (token != NULL && !php_redislock_read_token(2, token, RL_TOKEN_MAX_CHOSEN, &slice))) {
		RETURN_THROWS();
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
	rl_slice slice;
	rl_status status;
	rl_error error;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(token)
	ZEND_PARSE_PARAMETERS_END();

	if (!php_redislock_read_token(1, token, RL_TOKEN_MAX_FOREIGN, &slice)) {
		RETURN_THROWS();
	}
	lock = begin(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	if (require_free(lock, "attach")) {
		status = rl_lock_attach(&lock->core, php_redislock_client_of(lock), slice, &error);
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
	if (lock == NULL || (!is_null && !php_redislock_read_ttl(1, ttl, php_redislock_client_of(lock), &lease_ms))) {
		RETURN_THROWS();
	}
	if (begin(ZEND_THIS) == NULL) {
		RETURN_THROWS();
	}
	if (is_null) {
		lease_ms = lock->core.lease_ms;
	}
	status = rl_lock_renew(&lock->core, php_redislock_client_of(lock), lease_ms, &error);
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
	status = rl_lock_release(&lock->core, php_redislock_client_of(lock), &error);
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
	RETURN_BOOL(rl_lock_is_held(&lock->core, php_redislock_client_of(lock)));
}

PHP_METHOD(RedisLock, remaining)
{
	php_redislock_lock *lock;

	ZEND_PARSE_PARAMETERS_NONE();

	lock = get_lock(ZEND_THIS);
	if (lock == NULL) {
		RETURN_THROWS();
	}
	RETURN_DOUBLE((double) rl_lock_remaining(&lock->core, php_redislock_client_of(lock)) / RL_US_PER_S);
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
	if (rl_lock_is_held(&lock->core, php_redislock_client_of(lock))) {
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
	if (!rl_lock_is_held(&lock->core, php_redislock_client_of(lock))) {
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

	rl_lock_release(&lock->core, php_redislock_client_of(lock), &error);
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
	const rl_client *client = php_redislock_client_of(lock);
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
	if (status == RL_NO || rl_runtime_now(client->runtime) >= valid_until) {
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

	if (!php_redislock_read_wait(2, wait, &wait_ms)) {
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
