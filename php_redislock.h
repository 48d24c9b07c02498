/* What the files of the Zend side share: the module, its globals and its classes. */
#ifndef PHP_REDISLOCK_H
#define PHP_REDISLOCK_H

#ifdef HAVE_CONFIG_H
# include "config.h"
#endif

#include "php.h"

#include "src/core/rl_pool.h"
#include "src/core/rl_runtime.h"

#define PHP_REDISLOCK_VERSION "0.1.0"

extern zend_module_entry redislock_module_entry;
#define phpext_redislock_ptr &redislock_module_entry

struct php_redislock_lock;

ZEND_BEGIN_MODULE_GLOBALS(redislock)
	/* Settings, see src/settings.c. */
	char *servers;
	char *prefix;
	double connect_timeout;
	double timeout;
	double retry_for;
	zend_long fence_retention;
	double quorum_max_ttl;
	bool persistent;
	bool stats;
	bool stats_groups;
	/* Lives as long as the thread. NULL until it is first needed. */
	rl_pool *pool;
	rl_runtime runtime;
	int64_t no_connecting_until;
	/* The client of this request that locks without a client of their own use, NULL until one does. */
	zend_object *default_client;
	/* That waiting means polling was said once. */
	bool polling_reported;
	/* All lock objects of this request, for the release at its end. */
	struct php_redislock_lock *locks;
ZEND_END_MODULE_GLOBALS(redislock)

ZEND_EXTERN_MODULE_GLOBALS(redislock)
#define REDISLOCK_G(v) ZEND_MODULE_GLOBALS_ACCESSOR(redislock, v)

#if defined(ZTS) && defined(COMPILE_DL_REDISLOCK)
ZEND_TSRMLS_CACHE_EXTERN()
#endif

/* Shared by all processes that this one forks. NULL: nothing is counted. */
extern rl_stats *php_redislock_stats;

extern zend_class_entry *redislock_ce_lock;
extern zend_class_entry *redislock_ce_mutex;
extern zend_class_entry *redislock_ce_mutex_factory;
extern zend_class_entry *redislock_ce_client;
extern zend_class_entry *redislock_ce_exception;
extern zend_class_entry *redislock_ce_failure_exception;
extern zend_class_entry *redislock_ce_connection_exception;
extern zend_class_entry *redislock_ce_uncertain_exception;
extern zend_class_entry *redislock_ce_server_exception;
extern zend_class_entry *redislock_ce_quorum_exception;
extern zend_class_entry *redislock_ce_not_acquired_exception;
extern zend_class_entry *redislock_ce_lost_exception;
extern zend_class_entry *redislock_ce_error;

#endif
