/* The object of the class RedisLock: how it comes, goes and is dumped. Its methods are in lock.c. */
#include "lock.h"

#include "arguments.h"

#include "core/rl_clock.h"

zend_class_entry *redislock_ce_lock;
zend_class_entry *redislock_ce_mutex;
zend_class_entry *redislock_ce_mutex_factory;
static zend_object_handlers lock_handlers;

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
		rl_lock_abandon(&lock->core, php_redislock_client_of(lock));
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
		int64_t left = rl_lock_remaining(&lock->core, php_redislock_client_of(lock));

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
	php_redislock_refuse_argument(1, &error);
	return false;
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
