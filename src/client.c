#include "client.h"

#include "arguments.h"
#include "exceptions.h"
#include "lock.h"
#include "runtime.h"
#include "servers.h"
#include "settings.h"

#include "core/rl_clock.h"
#include "core/rl_quorum.h"

zend_class_entry *redislock_ce_client;
static zend_object_handlers client_handlers;

static zend_object *create(zend_class_entry *class_entry)
{
	php_redislock_client *client = zend_object_alloc(sizeof(*client), class_entry);

	client->core = (rl_client) {0};
	client->prefix = NULL;
	zend_object_std_init(&client->std, class_entry);
	object_properties_init(&client->std, class_entry);
	client->std.handlers = &client_handlers;
	return &client->std;
}

static void free_object(zend_object *object)
{
	php_redislock_client *client = php_redislock_client_from(object);

	if (client->core.nodes != NULL) {
		for (int i = 0; i < client->core.node_count; i++) {
			rl_endpoint_release(client->core.nodes[i].endpoint);
		}
		efree(client->core.nodes);
	} else {
		rl_endpoint_release(client->core.endpoint);
	}
	if (client->prefix != NULL) {
		zend_string_release(client->prefix);
	}
	zend_object_std_dtor(object);
}

void php_redislock_client_describe(const php_redislock_client *client, zval *array)
{
	zval servers;

	array_init(&servers);
	if (client->core.nodes == NULL) {
		add_next_index_string(&servers, client->core.endpoint->display);
	}
	for (int i = 0; i < client->core.node_count; i++) {
		add_next_index_string(&servers, client->core.nodes[i].endpoint->display);
	}
	add_assoc_zval(array, "servers", &servers);
}

static double to_seconds(int64_t microseconds)
{
	return (double) microseconds / RL_US_PER_S;
}

static HashTable *get_debug_info(zend_object *object, int *is_temporary)
{
	php_redislock_client *client = php_redislock_client_from(object);
	zval info;

	*is_temporary = 1;
	array_init(&info);
	if (client->core.endpoint != NULL) {
		php_redislock_client_describe(client, &info);
		add_assoc_str(&info, "prefix", zend_string_copy(client->prefix));
		add_assoc_double(&info, "connectTimeout", to_seconds(client->core.connect_timeout_us));
		add_assoc_double(&info, "timeout", to_seconds(client->core.timeout_us));
		add_assoc_double(&info, "retryFor", to_seconds(client->core.retry_for_us));
		add_assoc_bool(&info, "persistent", client->core.endpoint->persistent);
	}
	return Z_ARRVAL(info);
}

void php_redislock_client_init(void)
{
	redislock_ce_client->create_object = create;
	client_handlers = std_object_handlers;
	client_handlers.offset = offsetof(php_redislock_client, std);
	client_handlers.free_obj = free_object;
	client_handlers.clone_obj = NULL;
	client_handlers.get_debug_info = get_debug_info;
}

/* An argument in seconds, or the setting if it was not given. False: a ValueError was thrown. */
static bool read_time(uint32_t argument, bool is_null, double seconds, double setting, double minimum, double maximum,
	int64_t *microseconds)
{
	int64_t milliseconds;

	if (is_null) {
		seconds = setting;
	}
	if (!rl_clock_to_ms(seconds, minimum, maximum, &milliseconds)) {
		zend_argument_value_error(argument, "must be from %g to %g seconds", minimum, maximum);
		return false;
	}
	*microseconds = milliseconds * RL_US_PER_MS;
	return true;
}

/* The parts of a client that come from arguments. */
typedef struct client_arguments {
	zend_string *servers;
	HashTable *server_array;
	zend_string *prefix;
	double connect_timeout, timeout, retry_for;
	bool connect_timeout_is_null, timeout_is_null, retry_for_is_null;
	bool persistent, persistent_is_null;
} client_arguments;

/* Moves the endpoints into the client: one server, or the nodes of a quorum. */
static void set_servers(rl_client *core, const php_redislock_servers *list, bool persistent)
{
	for (uint32_t i = 0; i < list->count; i++) {
		rl_endpoint *endpoint = list->items[i];

		endpoint->persistent = persistent;
		/* What a DSN says counts more than what the client says; of several DSNs, the largest. */
		if (endpoint->connect_timeout_us > (core->endpoint != NULL ? core->connect_timeout_us : 0)) {
			core->connect_timeout_us = endpoint->connect_timeout_us;
		}
		if (endpoint->timeout_us > (core->endpoint != NULL ? core->timeout_us : 0)) {
			core->timeout_us = endpoint->timeout_us;
		}
		if (core->endpoint == NULL) {
			core->endpoint = endpoint;
		}
	}
	if (list->count == 1) {
		rl_endpoint_retain(core->endpoint);
		return;
	}
	core->nodes = ecalloc(list->count, sizeof(*core->nodes));
	core->node_count = (int) list->count;
	for (uint32_t i = 0; i < list->count; i++) {
		core->nodes[i].endpoint = rl_endpoint_retain(list->items[i]);
	}
}

static bool read_endpoints(const client_arguments *arguments, rl_client *core)
{
	bool from_setting = arguments->servers == NULL && arguments->server_array == NULL;
	zend_string *text = arguments->servers;
	php_redislock_servers list;
	rl_error error;
	bool fine;

	if (from_setting) {
		text = zend_string_init(REDISLOCK_G(servers), strlen(REDISLOCK_G(servers)), 0);
	}
	fine = php_redislock_read_servers(&list, text, arguments->server_array, &error);
	if (fine) {
		set_servers(core, &list, arguments->persistent_is_null ? REDISLOCK_G(persistent) : arguments->persistent);
	} else if (error.status == RL_SYSTEM) {
		php_redislock_throw(NULL, &error);
	} else if (from_setting) {
		zend_value_error("redislock.servers: %s", error.message);
	} else {
		zend_argument_value_error(1, "%s", error.message);
	}
	php_redislock_free_servers(&list);
	if (from_setting) {
		zend_string_release(text);
	}
	return fine;
}

static bool construct(php_redislock_client *client, const client_arguments *arguments)
{
	const rl_runtime *runtime = php_redislock_runtime();
	rl_client core = {.runtime = runtime};

	if (runtime == NULL
			|| !read_time(3, arguments->connect_timeout_is_null, arguments->connect_timeout, REDISLOCK_G(connect_timeout),
				PHP_REDISLOCK_MIN_TIMEOUT, PHP_REDISLOCK_MAX_TIMEOUT, &core.connect_timeout_us)
			|| !read_time(4, arguments->timeout_is_null, arguments->timeout, REDISLOCK_G(timeout),
				PHP_REDISLOCK_MIN_TIMEOUT, PHP_REDISLOCK_MAX_TIMEOUT, &core.timeout_us)
			|| !read_time(5, arguments->retry_for_is_null, arguments->retry_for, REDISLOCK_G(retry_for),
				0, PHP_REDISLOCK_MAX_RETRY_FOR, &core.retry_for_us)
			|| !read_endpoints(arguments, &core)) {
		return false;
	}
	core.retention_ms = (int64_t) REDISLOCK_G(fence_retention) * 1000;
	core.quorum_max_ttl_ms = (int64_t) (REDISLOCK_G(quorum_max_ttl) * 1000);
	client->prefix = arguments->prefix != NULL
		? zend_string_copy(arguments->prefix)
		: zend_string_init(REDISLOCK_G(prefix), strlen(REDISLOCK_G(prefix)), 0);
	core.prefix = rl_slice_make(ZSTR_VAL(client->prefix), ZSTR_LEN(client->prefix));
	client->core = core;
	return true;
}

zend_object *php_redislock_default_client(void)
{
	if (REDISLOCK_G(default_client) == NULL) {
		const client_arguments none = {
			.connect_timeout_is_null = true, .timeout_is_null = true, .retry_for_is_null = true,
			.persistent_is_null = true
		};
		zval object;

		object_init_ex(&object, redislock_ce_client);
		if (!construct(php_redislock_client_from(Z_OBJ(object)), &none)) {
			zval_ptr_dtor(&object);
			return NULL;
		}
		REDISLOCK_G(default_client) = Z_OBJ(object);
	}
	return REDISLOCK_G(default_client);
}

PHP_METHOD(RedisLock_Client, __construct)
{
	php_redislock_client *client = php_redislock_client_from(Z_OBJ_P(ZEND_THIS));
	client_arguments arguments = {
		.connect_timeout_is_null = true, .timeout_is_null = true, .retry_for_is_null = true, .persistent_is_null = true
	};

	ZEND_PARSE_PARAMETERS_START(0, 6)
		Z_PARAM_OPTIONAL
		Z_PARAM_ARRAY_HT_OR_STR_OR_NULL(arguments.server_array, arguments.servers)
		Z_PARAM_STR_OR_NULL(arguments.prefix)
		Z_PARAM_DOUBLE_OR_NULL(arguments.connect_timeout, arguments.connect_timeout_is_null)
		Z_PARAM_DOUBLE_OR_NULL(arguments.timeout, arguments.timeout_is_null)
		Z_PARAM_DOUBLE_OR_NULL(arguments.retry_for, arguments.retry_for_is_null)
		Z_PARAM_BOOL_OR_NULL(arguments.persistent, arguments.persistent_is_null)
	ZEND_PARSE_PARAMETERS_END();

	if (client->core.endpoint != NULL) {
		zend_throw_error(redislock_ce_error, "This RedisLock\\Client is constructed already");
		RETURN_THROWS();
	}
	construct(client, &arguments);
}

/* The client of $this. NULL: an error was thrown, its constructor has not run. */
static const rl_client *get_client(zval *this)
{
	const rl_client *client = &php_redislock_client_from(Z_OBJ_P(this))->core;

	if (client->endpoint == NULL) {
		zend_throw_error(redislock_ce_error, "This RedisLock\\Client was not constructed");
		return NULL;
	}
	return client;
}

/* The keys of a name that is argument 1; to be freed by the caller. False: an exception was thrown. */
static bool make_keys(const rl_client *client, zend_string *name, rl_keys *keys)
{
	rl_error error;

	if (rl_keys_make(keys, client->prefix, rl_slice_make(ZSTR_VAL(name), ZSTR_LEN(name)), &error) == RL_OK) {
		return true;
	}
	php_redislock_refuse_argument(1, &error);
	return false;
}

/* Returns true or false, or throws. */
static void return_status(zval *return_value, const rl_client *client, rl_status status, rl_error *error)
{
	if (status == RL_OK || status == RL_NO) {
		ZVAL_BOOL(return_value, status == RL_OK);
	} else {
		error->status = status;
		php_redislock_throw(client, error);
	}
}

PHP_METHOD(RedisLock_Client, lock)
{
	zend_string *name;
	double ttl = PHP_REDISLOCK_DEFAULT_TTL;
	bool auto_release = true;

	ZEND_PARSE_PARAMETERS_START(1, 3)
		Z_PARAM_STR(name)
		Z_PARAM_OPTIONAL
		Z_PARAM_DOUBLE(ttl)
		Z_PARAM_BOOL(auto_release)
	ZEND_PARSE_PARAMETERS_END();

	if (get_client(ZEND_THIS) == NULL) {
		RETURN_THROWS();
	}
	object_init_ex(return_value, redislock_ce_lock);
	if (!php_redislock_lock_construct(Z_OBJ_P(return_value), name, ttl, Z_OBJ_P(ZEND_THIS), auto_release)) {
		zval_ptr_dtor(return_value);
		ZVAL_NULL(return_value);
		RETURN_THROWS();
	}
}

PHP_METHOD(RedisLock_Client, release)
{
	const rl_client *client;
	zend_string *name, *token;
	rl_slice slice;
	rl_keys keys;
	rl_error error;

	ZEND_PARSE_PARAMETERS_START(2, 2)
		Z_PARAM_STR(name)
		Z_PARAM_STR(token)
	ZEND_PARSE_PARAMETERS_END();

	client = get_client(ZEND_THIS);
	if (client == NULL || !php_redislock_read_token(2, token, RL_TOKEN_MAX_FOREIGN, &slice)
			|| !make_keys(client, name, &keys)) {
		RETURN_THROWS();
	}
	return_status(return_value, client, rl_token_release(client, &keys, slice, &error), &error);
	rl_keys_free(&keys);
}

PHP_METHOD(RedisLock_Client, renew)
{
	const rl_client *client;
	zend_string *name, *token;
	int64_t lease_ms;
	rl_slice slice;
	rl_keys keys;
	rl_error error;
	double ttl;

	ZEND_PARSE_PARAMETERS_START(3, 3)
		Z_PARAM_STR(name)
		Z_PARAM_STR(token)
		Z_PARAM_DOUBLE(ttl)
	ZEND_PARSE_PARAMETERS_END();

	client = get_client(ZEND_THIS);
	if (client == NULL || !php_redislock_read_ttl(3, ttl, client, &lease_ms)
			|| !php_redislock_read_token(2, token, RL_TOKEN_MAX_FOREIGN, &slice)
			|| !make_keys(client, name, &keys)) {
		RETURN_THROWS();
	}
	return_status(return_value, client, rl_token_renew(client, &keys, slice, lease_ms, &error), &error);
	rl_keys_free(&keys);
}

PHP_METHOD(RedisLock_Client, initializeQuorum)
{
	const rl_client *client;
	rl_status status;
	rl_error error;

	ZEND_PARSE_PARAMETERS_NONE();

	client = get_client(ZEND_THIS);
	if (client == NULL) {
		RETURN_THROWS();
	}
	if (client->nodes == NULL) {
		zend_throw_error(redislock_ce_error, "This RedisLock\\Client is not a quorum: one server needs no such step");
		RETURN_THROWS();
	}
	status = rl_quorum_initialize(client, &error);
	if (status != RL_OK) {
		error.status = status;
		php_redislock_throw(client, &error);
	}
}

PHP_METHOD(RedisLock_Client, forceRelease)
{
	const rl_client *client;
	zend_string *name;
	rl_keys keys;
	rl_error error;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();

	client = get_client(ZEND_THIS);
	if (client == NULL || !make_keys(client, name, &keys)) {
		RETURN_THROWS();
	}
	return_status(return_value, client, rl_force_release(client, &keys, &error), &error);
	rl_keys_free(&keys);
}

static void return_inspection(zval *return_value, const rl_client *client, const rl_inspection *inspection)
{
	array_init(return_value);
	add_assoc_bool(return_value, "held", inspection->held);
	if (inspection->held) {
		add_assoc_stringl(return_value, "token", inspection->token.data, inspection->token.length);
		add_assoc_double(return_value, "remaining", inspection->remaining_ms < 0
			? ZEND_INFINITY : (double) inspection->remaining_ms / 1000);
	} else {
		add_assoc_null(return_value, "token");
		add_assoc_null(return_value, "remaining");
	}
	if (inspection->fence > 0) {
		add_assoc_long(return_value, "fence", (zend_long) inspection->fence);
	} else {
		add_assoc_null(return_value, "fence");
	}
	add_assoc_bool(return_value, "waiters", inspection->waiters);
	if (client->nodes != NULL) {
		zval nodes;

		array_init(&nodes);
		for (int i = 0; i < client->node_count; i++) {
			const rl_node *node = &client->nodes[i];

			if (node->error.status == RL_OK) {
				add_assoc_null(&nodes, node->endpoint->address);
			} else {
				add_assoc_string(&nodes, node->endpoint->address, node->error.message);
			}
		}
		add_assoc_zval(return_value, "nodes", &nodes);
	}
}

PHP_METHOD(RedisLock_Client, inspect)
{
	const rl_client *client;
	rl_inspection inspection;
	zend_string *name;
	rl_status status;
	rl_keys keys;
	rl_error error;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_STR(name)
	ZEND_PARSE_PARAMETERS_END();

	client = get_client(ZEND_THIS);
	if (client == NULL || !make_keys(client, name, &keys)) {
		RETURN_THROWS();
	}
	status = rl_inspect(client, &keys, &inspection, &error);
	if (status == RL_OK) {
		return_inspection(return_value, client, &inspection);
	} else {
		error.status = status;
		php_redislock_throw(client, &error);
	}
	rl_buffer_free(&inspection.token);
	rl_keys_free(&keys);
}
