/* What PHP gives to the core: clock, randomness, signal handlers, connections of this thread. */
#ifndef PHP_REDISLOCK_RUNTIME_H
#define PHP_REDISLOCK_RUNTIME_H

#include "../php_redislock.h"

/* The runtime of this thread. NULL: an exception was thrown, there was no memory. */
const rl_runtime *php_redislock_runtime(void);

/* At the end of a request and of the thread. */
void php_redislock_runtime_end_request(void);
void php_redislock_runtime_free(rl_pool *pool);

#endif
