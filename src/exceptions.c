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

/* The class that a status becomes, where one class and a message is all there is to it. NULL: it is not so simple. */
static zend_class_entry *class_of(rl_status status)
{
	switch (status) {
		case RL_CONNECTION:
			return redislock_ce_connection_exception;
		case RL_UNCERTAIN:
			return redislock_ce_uncertain_exception;
		case RL_SERVER:
			return redislock_ce_server_exception;
		case RL_QUORUM:
			return redislock_ce_quorum_exception;
		case RL_LOST:
			return redislock_ce_lost_exception;
		case RL_SYSTEM:
			return redislock_ce_exception;
		case RL_OK:
		case RL_NO:
		case RL_INTERRUPTED:
		case RL_INVALID:
			break;
	}
	return NULL;
}

static void set_code(zend_object *exception, const rl_error *error)
{
	zend_update_property_string(redislock_ce_server_exception, exception, "redisCode", sizeof("redisCode") - 1,
		error->code);
}

/* An exception that is not thrown, but an element of QuorumException::$errors. */
static void make_node_exception(zval *exception, const rl_error *error)
{
	zend_class_entry *class_entry = class_of(error->status);
	zval message;

	if (class_entry == NULL || !instanceof_function(class_entry, redislock_ce_failure_exception)) {
		class_entry = redislock_ce_connection_exception;
	}
	object_init_ex(exception, class_entry);
	ZVAL_STRING(&message, error->message);
	zend_update_property_ex(zend_ce_exception, Z_OBJ_P(exception), ZSTR_KNOWN(ZEND_STR_MESSAGE), &message);
	zval_ptr_dtor(&message);
	if (class_entry == redislock_ce_server_exception) {
		set_code(Z_OBJ_P(exception), error);
	}
}

static void set_errors(zend_object *exception, const rl_client *client)
{
	zval errors;

	array_init(&errors);
	for (int i = 0; i < client->node_count; i++) {
		const rl_node *node = &client->nodes[i];
		zval one;

		if (node->error.status != RL_OK) {
			make_node_exception(&one, &node->error);
			add_assoc_zval(&errors, node->endpoint->address, &one);
		}
	}
	zend_update_property(redislock_ce_quorum_exception, exception, "errors", sizeof("errors") - 1, &errors);
	zval_ptr_dtor(&errors);
}

void php_redislock_throw(const rl_client *client, const rl_error *error)
{
	zend_class_entry *class_entry = class_of(error->status);
	zend_object *thrown;

	if (error->status == RL_INVALID) {
		zend_value_error("%s", error->message);
	}
	if (class_entry == NULL) {
		return;
	}
	thrown = zend_throw_exception(class_entry, error->message, 0);
	if (error->status == RL_SERVER) {
		set_code(thrown, error);
	} else if (error->status == RL_QUORUM) {
		set_errors(thrown, client);
	}
}

void php_redislock_throw_lost(const char *message, zval *result)
{
	zend_object *thrown = zend_throw_exception(redislock_ce_lost_exception, message, 0);

	zend_update_property(redislock_ce_lost_exception, thrown, "result", sizeof("result") - 1, result);
}
