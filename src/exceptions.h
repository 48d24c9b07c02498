/* From the status of a core call to a PHP exception, in one place. */
#ifndef PHP_REDISLOCK_EXCEPTIONS_H
#define PHP_REDISLOCK_EXCEPTIONS_H

#include "../php_redislock.h"

#include "core/rl_call.h"

/*
 * client: of the call; NULL if it had none yet.
 * Throws what belongs to the error of a core call that returned neither RL_OK nor RL_NO. RL_INTERRUPTED throws nothing:
 * the exception of the application is there already.
 */
void php_redislock_throw(const rl_client *client, const rl_error *error);

/* Throws LostException with the result of a callback, which stays the caller's. */
void php_redislock_throw_lost(const char *message, zval *result);

#endif
