/* RedisLock\Client */
#ifndef PHP_REDISLOCK_CLIENT_H
#define PHP_REDISLOCK_CLIENT_H

#include "../php_redislock.h"

#include "core/rl_call.h"

typedef struct php_redislock_client {
	rl_client core;             /* core.endpoint is NULL until the constructor has run */
	zend_string *prefix;
	zend_object std;
} php_redislock_client;

static inline php_redislock_client *php_redislock_client_from(zend_object *object)
{
	return (php_redislock_client *) ((char *) object - offsetof(php_redislock_client, std));
}

/* Fills the handlers; called once, after the class was registered. */
void php_redislock_client_init(void);

/* The client that locks of this request share, borrowed. NULL: an exception was thrown. */
zend_object *php_redislock_default_client(void);

/* Adds the servers, without passwords, to an array for var_dump(). */
void php_redislock_client_describe(const php_redislock_client *client, zval *array);

#endif
