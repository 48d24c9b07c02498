/* This is a generated file, edit the .stub.php file instead.
 * Stub hash: 2c2f00129a262d672946fcce3497f00eebdaca3b */

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedisLock___construct, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_OBJ_INFO_WITH_DEFAULT_VALUE(0, client, RedisLock\\Client, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, autoRelease, _IS_BOOL, 0, "true")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_acquire, 0, 0, IS_LONG, 1)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, token, IS_STRING, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_attach, 0, 1, IS_LONG, 1)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_renew, 0, 0, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_release, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLock_isHeld arginfo_class_RedisLock_release

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_remaining, 0, 0, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_fence, 0, 0, IS_LONG, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_token, 0, 0, IS_STRING, 1)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_synchronized, 0, 1, IS_MIXED, 0)
	ZEND_ARG_TYPE_INFO(0, callback, IS_CALLABLE, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, wait, IS_DOUBLE, 0, "0.0")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_detach, 0, 0, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_stats, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLock_metrics arginfo_class_RedisLock_detach

#define arginfo_class_RedisLock_Mutex_acquire arginfo_class_RedisLock_acquire

#define arginfo_class_RedisLock_Mutex_attach arginfo_class_RedisLock_attach

#define arginfo_class_RedisLock_Mutex_renew arginfo_class_RedisLock_renew

#define arginfo_class_RedisLock_Mutex_release arginfo_class_RedisLock_release

#define arginfo_class_RedisLock_Mutex_isHeld arginfo_class_RedisLock_release

#define arginfo_class_RedisLock_Mutex_remaining arginfo_class_RedisLock_remaining

#define arginfo_class_RedisLock_Mutex_fence arginfo_class_RedisLock_fence

#define arginfo_class_RedisLock_Mutex_token arginfo_class_RedisLock_token

#define arginfo_class_RedisLock_Mutex_synchronized arginfo_class_RedisLock_synchronized

#define arginfo_class_RedisLock_Mutex_detach arginfo_class_RedisLock_detach

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedisLock_MutexFactory_lock, 0, 1, RedisLock\\Mutex, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, autoRelease, _IS_BOOL, 0, "true")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_MutexFactory_release, 0, 2, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_MutexFactory_renew, 0, 3, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, token, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO(0, ttl, IS_DOUBLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_MutexFactory_forceRelease, 0, 1, _IS_BOOL, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_MutexFactory_inspect, 0, 1, IS_ARRAY, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(arginfo_class_RedisLock_Client___construct, 0, 0, 0)
	ZEND_ARG_TYPE_MASK(0, servers, MAY_BE_STRING|MAY_BE_ARRAY|MAY_BE_NULL, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, prefix, IS_STRING, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, connectTimeout, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, timeout, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, retryFor, IS_DOUBLE, 1, "null")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, persistent, _IS_BOOL, 1, "null")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_OBJ_INFO_EX(arginfo_class_RedisLock_Client_lock, 0, 1, RedisLock, 0)
	ZEND_ARG_TYPE_INFO(0, name, IS_STRING, 0)
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, ttl, IS_DOUBLE, 0, "30.0")
	ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, autoRelease, _IS_BOOL, 0, "true")
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLock_Client_release arginfo_class_RedisLock_MutexFactory_release

#define arginfo_class_RedisLock_Client_renew arginfo_class_RedisLock_MutexFactory_renew

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_class_RedisLock_Client_initializeQuorum, 0, 0, IS_VOID, 0)
ZEND_END_ARG_INFO()

#define arginfo_class_RedisLock_Client_forceRelease arginfo_class_RedisLock_MutexFactory_forceRelease

#define arginfo_class_RedisLock_Client_inspect arginfo_class_RedisLock_MutexFactory_inspect

ZEND_METHOD(RedisLock, __construct);
ZEND_METHOD(RedisLock, acquire);
ZEND_METHOD(RedisLock, attach);
ZEND_METHOD(RedisLock, renew);
ZEND_METHOD(RedisLock, release);
ZEND_METHOD(RedisLock, isHeld);
ZEND_METHOD(RedisLock, remaining);
ZEND_METHOD(RedisLock, fence);
ZEND_METHOD(RedisLock, token);
ZEND_METHOD(RedisLock, synchronized);
ZEND_METHOD(RedisLock, detach);
ZEND_METHOD(RedisLock, stats);
ZEND_METHOD(RedisLock, metrics);
ZEND_METHOD(RedisLock_Client, __construct);
ZEND_METHOD(RedisLock_Client, lock);
ZEND_METHOD(RedisLock_Client, release);
ZEND_METHOD(RedisLock_Client, renew);
ZEND_METHOD(RedisLock_Client, initializeQuorum);
ZEND_METHOD(RedisLock_Client, forceRelease);
ZEND_METHOD(RedisLock_Client, inspect);

static const zend_function_entry class_RedisLock_methods[] = {
	ZEND_ME(RedisLock, __construct, arginfo_class_RedisLock___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, acquire, arginfo_class_RedisLock_acquire, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, attach, arginfo_class_RedisLock_attach, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, renew, arginfo_class_RedisLock_renew, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, release, arginfo_class_RedisLock_release, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, isHeld, arginfo_class_RedisLock_isHeld, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, remaining, arginfo_class_RedisLock_remaining, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, fence, arginfo_class_RedisLock_fence, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, token, arginfo_class_RedisLock_token, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, synchronized, arginfo_class_RedisLock_synchronized, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, detach, arginfo_class_RedisLock_detach, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock, stats, arginfo_class_RedisLock_stats, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_ME(RedisLock, metrics, arginfo_class_RedisLock_metrics, ZEND_ACC_PUBLIC|ZEND_ACC_STATIC)
	ZEND_FE_END
};

static const zend_function_entry class_RedisLock_Mutex_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, acquire, arginfo_class_RedisLock_Mutex_acquire, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, attach, arginfo_class_RedisLock_Mutex_attach, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, renew, arginfo_class_RedisLock_Mutex_renew, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, release, arginfo_class_RedisLock_Mutex_release, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, isHeld, arginfo_class_RedisLock_Mutex_isHeld, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, remaining, arginfo_class_RedisLock_Mutex_remaining, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, fence, arginfo_class_RedisLock_Mutex_fence, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, token, arginfo_class_RedisLock_Mutex_token, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, synchronized, arginfo_class_RedisLock_Mutex_synchronized, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_Mutex, detach, arginfo_class_RedisLock_Mutex_detach, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};

static const zend_function_entry class_RedisLock_MutexFactory_methods[] = {
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_MutexFactory, lock, arginfo_class_RedisLock_MutexFactory_lock, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_MutexFactory, release, arginfo_class_RedisLock_MutexFactory_release, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_MutexFactory, renew, arginfo_class_RedisLock_MutexFactory_renew, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_MutexFactory, forceRelease, arginfo_class_RedisLock_MutexFactory_forceRelease, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_ABSTRACT_ME_WITH_FLAGS(RedisLock_MutexFactory, inspect, arginfo_class_RedisLock_MutexFactory_inspect, ZEND_ACC_PUBLIC|ZEND_ACC_ABSTRACT)
	ZEND_FE_END
};

static const zend_function_entry class_RedisLock_Client_methods[] = {
	ZEND_ME(RedisLock_Client, __construct, arginfo_class_RedisLock_Client___construct, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock_Client, lock, arginfo_class_RedisLock_Client_lock, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock_Client, release, arginfo_class_RedisLock_Client_release, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock_Client, renew, arginfo_class_RedisLock_Client_renew, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock_Client, initializeQuorum, arginfo_class_RedisLock_Client_initializeQuorum, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock_Client, forceRelease, arginfo_class_RedisLock_Client_forceRelease, ZEND_ACC_PUBLIC)
	ZEND_ME(RedisLock_Client, inspect, arginfo_class_RedisLock_Client_inspect, ZEND_ACC_PUBLIC)
	ZEND_FE_END
};

static zend_class_entry *register_class_RedisLock(zend_class_entry *class_entry_RedisLock_Mutex)
{
	zend_class_entry ce, *class_entry;

	INIT_CLASS_ENTRY(ce, "RedisLock", class_RedisLock_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_RedisLock_Mutex);

	zval const_MIN_TTL_value;
	ZVAL_DOUBLE(&const_MIN_TTL_value, 0.01);
	zend_string *const_MIN_TTL_name = zend_string_init_interned("MIN_TTL", sizeof("MIN_TTL") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_MIN_TTL_name, &const_MIN_TTL_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_MIN_TTL_name);

	zval const_MAX_TTL_value;
	ZVAL_DOUBLE(&const_MAX_TTL_value, 2678400);
	zend_string *const_MAX_TTL_name = zend_string_init_interned("MAX_TTL", sizeof("MAX_TTL") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_MAX_TTL_name, &const_MAX_TTL_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_MAX_TTL_name);

	zval const_MAX_WAIT_value;
	ZVAL_DOUBLE(&const_MAX_WAIT_value, 86400);
	zend_string *const_MAX_WAIT_name = zend_string_init_interned("MAX_WAIT", sizeof("MAX_WAIT") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_MAX_WAIT_name, &const_MAX_WAIT_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_MAX_WAIT_name);

	zval const_MAX_NAME_LENGTH_value;
	ZVAL_LONG(&const_MAX_NAME_LENGTH_value, 1024);
	zend_string *const_MAX_NAME_LENGTH_name = zend_string_init_interned("MAX_NAME_LENGTH", sizeof("MAX_NAME_LENGTH") - 1, 1);
	zend_declare_class_constant_ex(class_entry, const_MAX_NAME_LENGTH_name, &const_MAX_NAME_LENGTH_value, ZEND_ACC_PUBLIC, NULL);
	zend_string_release(const_MAX_NAME_LENGTH_name);

	zval property_name_default_value;
	ZVAL_UNDEF(&property_name_default_value);
	zend_string *property_name_name = zend_string_init("name", sizeof("name") - 1, 1);
	zend_declare_typed_property(class_entry, property_name_name, &property_name_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_name_name);

	zval property_ttl_default_value;
	ZVAL_UNDEF(&property_ttl_default_value);
	zend_string *property_ttl_name = zend_string_init("ttl", sizeof("ttl") - 1, 1);
	zend_declare_typed_property(class_entry, property_ttl_name, &property_ttl_default_value, ZEND_ACC_PUBLIC|ZEND_ACC_READONLY, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_DOUBLE));
	zend_string_release(property_ttl_name);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "acquire", sizeof("acquire") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "attach", sizeof("attach") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_Mutex(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "Mutex", class_RedisLock_Mutex_methods);
	class_entry = zend_register_internal_interface(&ce);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "acquire", sizeof("acquire") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "attach", sizeof("attach") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_MutexFactory(void)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "MutexFactory", class_RedisLock_MutexFactory_methods);
	class_entry = zend_register_internal_interface(&ce);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "release", sizeof("release") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "renew", sizeof("renew") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_Client(zend_class_entry *class_entry_RedisLock_MutexFactory)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "Client", class_RedisLock_Client_methods);
	class_entry = zend_register_internal_class_ex(&ce, NULL);
	class_entry->ce_flags |= ZEND_ACC_FINAL|ZEND_ACC_NO_DYNAMIC_PROPERTIES|ZEND_ACC_NOT_SERIALIZABLE;
	zend_class_implements(class_entry, 1, class_entry_RedisLock_MutexFactory);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "__construct", sizeof("__construct") - 1), 0, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "release", sizeof("release") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	zend_add_parameter_attribute(zend_hash_str_find_ptr(&class_entry->function_table, "renew", sizeof("renew") - 1), 1, ZSTR_KNOWN(ZEND_STR_SENSITIVEPARAMETER), 0);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_RedisLockException(zend_class_entry *class_entry_Exception)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "RedisLockException", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Exception);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_FailureException(zend_class_entry *class_entry_RedisLock_RedisLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "FailureException", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLock_RedisLockException);
	class_entry->ce_flags |= ZEND_ACC_ABSTRACT;

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_ConnectionException(zend_class_entry *class_entry_RedisLock_FailureException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "ConnectionException", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLock_FailureException);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_UncertainException(zend_class_entry *class_entry_RedisLock_FailureException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "UncertainException", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLock_FailureException);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_ServerException(zend_class_entry *class_entry_RedisLock_FailureException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "ServerException", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLock_FailureException);

	zval property_redisCode_default_value;
	ZVAL_EMPTY_STRING(&property_redisCode_default_value);
	zend_string *property_redisCode_name = zend_string_init("redisCode", sizeof("redisCode") - 1, 1);
	zend_declare_typed_property(class_entry, property_redisCode_name, &property_redisCode_default_value, ZEND_ACC_PUBLIC, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_STRING));
	zend_string_release(property_redisCode_name);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_QuorumException(zend_class_entry *class_entry_RedisLock_FailureException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "QuorumException", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLock_FailureException);

	zval property_errors_default_value;
	ZVAL_EMPTY_ARRAY(&property_errors_default_value);
	zend_string *property_errors_name = zend_string_init("errors", sizeof("errors") - 1, 1);
	zend_declare_typed_property(class_entry, property_errors_name, &property_errors_default_value, ZEND_ACC_PUBLIC, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ARRAY));
	zend_string_release(property_errors_name);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_NotAcquiredException(zend_class_entry *class_entry_RedisLock_RedisLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "NotAcquiredException", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLock_RedisLockException);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_LostException(zend_class_entry *class_entry_RedisLock_RedisLockException)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "LostException", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_RedisLock_RedisLockException);

	zval property_result_default_value;
	ZVAL_NULL(&property_result_default_value);
	zend_string *property_result_name = zend_string_init("result", sizeof("result") - 1, 1);
	zend_declare_typed_property(class_entry, property_result_name, &property_result_default_value, ZEND_ACC_PUBLIC, NULL, (zend_type) ZEND_TYPE_INIT_MASK(MAY_BE_ANY));
	zend_string_release(property_result_name);

	return class_entry;
}

static zend_class_entry *register_class_RedisLock_RedisLockError(zend_class_entry *class_entry_Error)
{
	zend_class_entry ce, *class_entry;

	INIT_NS_CLASS_ENTRY(ce, "RedisLock", "RedisLockError", NULL);
	class_entry = zend_register_internal_class_ex(&ce, class_entry_Error);

	return class_entry;
}
