/* The module: registration, start and end of the process, the thread and the request. */
#include "../php_redislock.h"

#include "client.h"
#include "lock.h"
#include "metrics.h"
#include "runtime.h"
#include "settings.h"

#include "ext/standard/info.h"
#include "zend_attributes.h"
#include "zend_exceptions.h"

#include "core/rl_process.h"
#include "core/rl_tls.h"

#ifndef PHP_WIN32
# include <dlfcn.h>
# include <stdlib.h>
#endif
#include <hiredis/hiredis.h>

#include "redislock_arginfo.h"

ZEND_DECLARE_MODULE_GLOBALS(redislock)

rl_stats *php_redislock_stats;

static void register_classes(void)
{
	redislock_ce_mutex = register_class_RedisLock_Mutex();
	redislock_ce_mutex_factory = register_class_RedisLock_MutexFactory();
	redislock_ce_lock = register_class_RedisLock(redislock_ce_mutex);
	redislock_ce_client = register_class_RedisLock_Client(redislock_ce_mutex_factory);
	redislock_ce_exception = register_class_RedisLock_RedisLockException(zend_ce_exception);
	redislock_ce_failure_exception = register_class_RedisLock_FailureException(redislock_ce_exception);
	redislock_ce_connection_exception =
		register_class_RedisLock_ConnectionException(redislock_ce_failure_exception);
	redislock_ce_uncertain_exception = register_class_RedisLock_UncertainException(redislock_ce_failure_exception);
	redislock_ce_server_exception = register_class_RedisLock_ServerException(redislock_ce_failure_exception);
	redislock_ce_quorum_exception = register_class_RedisLock_QuorumException(redislock_ce_failure_exception);
	redislock_ce_not_acquired_exception =
		register_class_RedisLock_NotAcquiredException(redislock_ce_exception);
	redislock_ce_lost_exception = register_class_RedisLock_LostException(redislock_ce_exception);
	redislock_ce_error = register_class_RedisLock_RedisLockError(zend_ce_error);
	php_redislock_lock_init();
	php_redislock_client_init();
}

static PHP_MINIT_FUNCTION(redislock)
{
	(void) type;
	rl_process_begin();
	php_redislock_register_settings(module_number);
	register_classes();
	/* Before a server such as FPM forks its workers, so that all of them count in the same place. */
	if (REDISLOCK_G(stats)) {
		php_redislock_stats = rl_stats_new(REDISLOCK_G(stats_groups));
	}
	return SUCCESS;
}

static PHP_MSHUTDOWN_FUNCTION(redislock)
{
	(void) type;
	php_redislock_unregister_settings(module_number);
	rl_stats_free(php_redislock_stats);
	php_redislock_stats = NULL;
	rl_process_end();
	return SUCCESS;
}

static PHP_RINIT_FUNCTION(redislock)
{
	(void) type;
	(void) module_number;
#if defined(ZTS) && defined(COMPILE_DL_REDISLOCK)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(redislock)
{
	(void) type;
	(void) module_number;
	/* After a fatal error no destructor has run. */
	php_redislock_release_all();
	if (REDISLOCK_G(default_client) != NULL) {
		OBJ_RELEASE(REDISLOCK_G(default_client));
		REDISLOCK_G(default_client) = NULL;
	}
	php_redislock_runtime_end_request();
	return SUCCESS;
}

/*
 * Which hiredis is loaded: the library does not know its version, but on most systems its file's name does. Windows links
 * it into the extension.
 */
static void print_library(void)
{
#ifndef PHP_WIN32
	char path[MAXPATHLEN];
	Dl_info info;

	if (dladdr((const void *) &redisReaderFree, &info) != 0 && info.dli_fname != NULL
			&& realpath(info.dli_fname, path) != NULL) {
		php_info_print_table_row(2, "hiredis (loaded)", path);
	}
#endif
}

static PHP_MINFO_FUNCTION(redislock)
{
	char hiredis[32];
	char tls[96];

	(void) zend_module;
	snprintf(hiredis, sizeof(hiredis), "%d.%d.%d", HIREDIS_MAJOR, HIREDIS_MINOR, HIREDIS_PATCH);
	snprintf(tls, sizeof(tls), "available, %s", rl_tls_library());
	php_info_print_table_start();
	php_info_print_table_row(2, "redislock support", "enabled");
	php_info_print_table_row(2, "Version", PHP_REDISLOCK_VERSION);
	php_info_print_table_row(2, "hiredis (compiled with)", hiredis);
	print_library();
	php_info_print_table_row(2, "TLS (rediss://)", rl_tls_available() ? tls : "not available: built without OpenSSL");
	php_info_print_table_end();
	php_redislock_print_stats();
	display_ini_entries(zend_module);
}

static PHP_GINIT_FUNCTION(redislock)
{
#if defined(ZTS) && defined(COMPILE_DL_REDISLOCK)
	ZEND_TSRMLS_CACHE_UPDATE();
#endif
	memset(redislock_globals, 0, sizeof(*redislock_globals));
}

static PHP_GSHUTDOWN_FUNCTION(redislock)
{
	php_redislock_runtime_free(redislock_globals->pool);
}

static const zend_module_dep dependencies[] = {
	ZEND_MOD_REQUIRED("random")
	ZEND_MOD_END
};

zend_module_entry redislock_module_entry = {
	STANDARD_MODULE_HEADER_EX,
	NULL,
	dependencies,
	"redislock",
	NULL,
	PHP_MINIT(redislock),
	PHP_MSHUTDOWN(redislock),
	PHP_RINIT(redislock),
	PHP_RSHUTDOWN(redislock),
	PHP_MINFO(redislock),
	PHP_REDISLOCK_VERSION,
	PHP_MODULE_GLOBALS(redislock),
	PHP_GINIT(redislock),
	PHP_GSHUTDOWN(redislock),
	NULL,
	STANDARD_MODULE_PROPERTIES_EX
};

#ifdef COMPILE_DL_REDISLOCK
# ifdef ZTS
ZEND_TSRMLS_CACHE_DEFINE()
# endif
ZEND_GET_MODULE(redislock)
#endif
