/* RedisLock */
#ifndef PHP_REDISLOCK_LOCK_H
#define PHP_REDISLOCK_LOCK_H

#include "client.h"

#include "core/rl_lock.h"

/* As in the stub. */
#define PHP_REDISLOCK_DEFAULT_TTL 30.0

typedef struct php_redislock_lock {
	rl_lock core;
	zend_object *client;                      /* NULL until the constructor has run */
	bool auto_release;
	bool busy;                                /* a call is under way; a signal handler must not begin another */
	bool given_up;                            /* released or detached since it was last acquired */
	struct php_redislock_lock *next;          /* in REDISLOCK_G(locks) */
	struct php_redislock_lock **link;
	zend_object std;
} php_redislock_lock;

static inline php_redislock_lock *php_redislock_lock_from(zend_object *object)
{
	return (php_redislock_lock *) ((char *) object - offsetof(php_redislock_lock, std));
}

/* Of a lock whose constructor has run. */
static inline const rl_client *php_redislock_client_of(const php_redislock_lock *lock)
{
	return &php_redislock_client_from(lock->client)->core;
}

/* Fills the handlers; called once, after the class was registered. */
void php_redislock_lock_init(void);

/* What the constructor does. client is borrowed; NULL: the default one. False: an exception was thrown. */
bool php_redislock_lock_construct(zend_object *object, zend_string *name, double ttl, zend_object *client,
	bool auto_release);

/* At the end of the request: gives back every lock that is still held and has autoRelease. */
void php_redislock_release_all(void);

#endif
