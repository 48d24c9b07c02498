#include "settings.h"

#include "servers.h"

#include "php_ini.h"

/* A setting that cannot be used is refused where it is made, not where it is first needed. */
static zend_result refuse(const zend_ini_entry *entry, const char *allowed)
{
	php_error_docref(NULL, E_WARNING, "%s must be %s", ZSTR_VAL(entry->name), allowed);
	return FAILURE;
}

static bool parse_seconds(zend_string *text, double minimum, double maximum, double *seconds)
{
	zend_long whole;

	switch (is_numeric_string(ZSTR_VAL(text), ZSTR_LEN(text), &whole, seconds, false)) {
		case IS_LONG:
			*seconds = (double) whole;
			break;
		case IS_DOUBLE:
			break;
		default:
			return false;
	}
	return *seconds >= minimum && *seconds <= maximum;
}

static ZEND_INI_MH(update_timeout)
{
	double seconds;

	if (!parse_seconds(new_value, PHP_REDISLOCK_MIN_TIMEOUT, PHP_REDISLOCK_MAX_TIMEOUT, &seconds)) {
		return refuse(entry, "a number of seconds from 0.001 to 3600");
	}
	*(double *) ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

static ZEND_INI_MH(update_retry_for)
{
	double seconds;

	if (!parse_seconds(new_value, 0, PHP_REDISLOCK_MAX_RETRY_FOR, &seconds)) {
		return refuse(entry, "a number of seconds from 0 to 86400");
	}
	*(double *) ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

static ZEND_INI_MH(update_retention)
{
	double seconds;

	if (!parse_seconds(new_value, 1, 315360000, &seconds) || seconds != (double) (zend_long) seconds) {
		return refuse(entry, "a whole number of seconds from 1 to 315360000 (10 years)");
	}
	*(zend_long *) ZEND_INI_GET_ADDR() = (zend_long) seconds;
	return SUCCESS;
}

static ZEND_INI_MH(update_quorum_max_ttl)
{
	double seconds;

	if (!parse_seconds(new_value, 1, 86400, &seconds)) {
		return refuse(entry, "a number of seconds from 1 to 86400, the same on all clients of a quorum");
	}
	*(double *) ZEND_INI_GET_ADDR() = seconds;
	return SUCCESS;
}

/* In phpinfo() the servers show without passwords. */
static ZEND_INI_DISP(display_servers)
{
	zend_string *value = type == ZEND_INI_DISPLAY_ORIG && ini_entry->modified ? ini_entry->orig_value : ini_entry->value;
	zend_string *masked;

	if (value == NULL) {
		return;
	}
	masked = php_redislock_mask_servers(value);
	PHPWRITE(ZSTR_VAL(masked), ZSTR_LEN(masked));
	zend_string_release(masked);
}

PHP_INI_BEGIN()
	STD_PHP_INI_ENTRY_EX("redislock.servers", "redis://127.0.0.1:6379", PHP_INI_ALL, OnUpdateString, servers,
		zend_redislock_globals, redislock_globals, display_servers)
	STD_PHP_INI_ENTRY("redislock.prefix", "redislock:", PHP_INI_ALL, OnUpdateString, prefix,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_ENTRY("redislock.connect_timeout", "1.0", PHP_INI_ALL, update_timeout, connect_timeout,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_ENTRY("redislock.timeout", "1.0", PHP_INI_ALL, update_timeout, timeout,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_ENTRY("redislock.retry_for", "10.0", PHP_INI_ALL, update_retry_for, retry_for,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_BOOLEAN("redislock.persistent", "1", PHP_INI_ALL, OnUpdateBool, persistent,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_ENTRY("redislock.fence_retention", "604800", PHP_INI_ALL, update_retention, fence_retention,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_ENTRY("redislock.quorum_max_ttl", "60", PHP_INI_ALL, update_quorum_max_ttl, quorum_max_ttl,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_BOOLEAN("redislock.stats", "1", PHP_INI_SYSTEM, OnUpdateBool, stats,
		zend_redislock_globals, redislock_globals)
	STD_PHP_INI_BOOLEAN("redislock.stats_groups", "0", PHP_INI_SYSTEM, OnUpdateBool, stats_groups,
		zend_redislock_globals, redislock_globals)
PHP_INI_END()

void php_redislock_register_settings(int module_number)
{
	zend_register_ini_entries(ini_entries, module_number);
}

void php_redislock_unregister_settings(int module_number)
{
	zend_unregister_ini_entries(module_number);
}
