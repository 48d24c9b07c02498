/* RedisLock::stats(), RedisLock::metrics() and the counters in phpinfo(). */
#ifndef PHP_REDISLOCK_METRICS_H
#define PHP_REDISLOCK_METRICS_H

/* Prints the counters as tables, for phpinfo(). */
void php_redislock_print_stats(void);

#endif
