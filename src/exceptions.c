#include "exceptions.h"

#include "zend_exceptions.h"

zend_class_entry *redislock_ce_exception;
zend_class_entry *redislock_ce_failure_exception;
zend_class_entry *redislock_ce_connection_exception;
zend_class_entry *redislock_ce_uncertain_exception;
zend_class_entry *redislock_ce_server_exception;
zend_class_entry *redislock_ce_quorum_exception;
zend_class_entry *redislock_ce_not_acquired_exception;
zend_class_entry *redislock_ce_lost_exception;
zend_class_entry *redislock_ce_error;

void php_redislock_throw(const rl_error *error)
{
	zend_object *thrown;

	switch (error->status) {
		case RL_OK:
		case RL_NO:
		case RL_INTERRUPTED:
			break;
		case RL_CONNECTION:
			zend_throw_exception(redislock_ce_connection_exception, error->message, 0);
			break;
		case RL_UNCERTAIN:
			zend_throw_exception(redislock_ce_uncertain_exception, error->message, 0);
			break;
		case RL_SERVER:
			thrown = zend_throw_exception(redislock_ce_server_exception, error->message, 0);
			zend_update_property_string(redislock_ce_server_exception, thrown, "redisCode", sizeof("redisCode") - 1,
				error->code);
			break;
		case RL_LOST:
			zend_throw_exception(redislock_ce_lost_exception, error->message, 0);
			break;
		case RL_SYSTEM:
			zend_throw_exception(redislock_ce_exception, error->message, 0);
			break;
		case RL_INVALID:
			zend_value_error("%s", error->message);
			break;
	}
}

void php_redislock_throw_lost(const char *message, zval *result)
{
	zend_object *thrown = zend_throw_exception(redislock_ce_lost_exception, message, 0);

	zend_update_property(redislock_ce_lost_exception, thrown, "result", sizeof("result") - 1, result);
}
