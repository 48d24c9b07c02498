/* Arguments that several methods take. What cannot be used is refused here, before any I/O. */
#ifndef PHP_REDISLOCK_ARGUMENTS_H
#define PHP_REDISLOCK_ARGUMENTS_H

#include "../php_redislock.h"

#include "core/rl_call.h"

/* A lease, a wait. False: a ValueError was thrown. */
bool php_redislock_read_ttl(uint32_t argument, double ttl, const rl_client *client, int64_t *lease_ms);
bool php_redislock_read_wait(uint32_t argument, double wait, int64_t *wait_ms);

/* A token; longest as in rl_token_problem(). The slice is of the string. False: a ValueError was thrown. */
bool php_redislock_read_token(uint32_t argument, zend_string *token, size_t longest, rl_slice *slice);

/* Throws, after the core did not take this argument: RL_INVALID becomes a ValueError. */
void php_redislock_refuse_argument(uint32_t argument, const rl_error *error);

#endif
