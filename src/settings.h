/* The INI settings. */
#ifndef PHP_REDISLOCK_SETTINGS_H
#define PHP_REDISLOCK_SETTINGS_H

#include "../php_redislock.h"

/* What a setting of a time may be, in seconds; the Client's arguments have the same limits. */
#define PHP_REDISLOCK_MIN_TIMEOUT 0.001
#define PHP_REDISLOCK_MAX_TIMEOUT 3600.0
#define PHP_REDISLOCK_MAX_RETRY_FOR 86400.0

void php_redislock_register_settings(int module_number);
void php_redislock_unregister_settings(int module_number);

#endif
