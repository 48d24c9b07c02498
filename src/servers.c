#include "servers.h"

#include "zend_smart_str.h"

/* One DSN of a list that is separated by commas; *rest moves behind it. */
static rl_slice next_dsn(rl_slice *rest)
{
	const char *comma = memchr(rest->data, ',', rest->length);
	rl_slice dsn = *rest;

	if (comma != NULL) {
		dsn.length = (size_t) (comma - rest->data);
		*rest = rl_slice_make(comma + 1, rest->length - dsn.length - 1);
	} else {
		*rest = rl_slice_make(NULL, 0);
	}
	while (dsn.length > 0 && dsn.data[0] == ' ') {
		dsn = rl_slice_make(dsn.data + 1, dsn.length - 1);
	}
	while (dsn.length > 0 && dsn.data[dsn.length - 1] == ' ') {
		dsn.length--;
	}
	return dsn;
}

zend_string *php_redislock_mask_servers(zend_string *servers)
{
	rl_slice rest = rl_slice_make(ZSTR_VAL(servers), ZSTR_LEN(servers));
	smart_str masked = {0};

	while (rest.data != NULL) {
		rl_slice dsn = next_dsn(&rest);
		rl_error error;
		rl_endpoint *endpoint = rl_endpoint_parse(dsn.data, dsn.length, &error);

		if (masked.s != NULL) {
			smart_str_appendc(&masked, ',');
		}
		smart_str_appends(&masked, endpoint != NULL ? endpoint->display : "(not a valid DSN)");
		rl_endpoint_release(endpoint);
	}
	smart_str_0(&masked);
	return masked.s;
}

void php_redislock_free_servers(php_redislock_servers *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		rl_endpoint_release(list->items[i]);
	}
	if (list->items != NULL) {
		efree(list->items);
	}
}

static bool add_endpoint(php_redislock_servers *list, rl_slice dsn, rl_error *error)
{
	rl_endpoint *endpoint = rl_endpoint_parse(dsn.data, dsn.length, error);

	if (endpoint == NULL) {
		return false;
	}
	list->items = safe_erealloc(list->items, list->count + 1, sizeof(*list->items), 0);
	list->items[list->count++] = endpoint;
	return true;
}

static bool add_endpoints(php_redislock_servers *list, zend_string *servers, rl_error *error)
{
	rl_slice rest = rl_slice_make(ZSTR_VAL(servers), ZSTR_LEN(servers));

	while (rest.data != NULL) {
		rl_slice dsn = next_dsn(&rest);

		if (dsn.length == 0) {
			rl_error_set(error, RL_INVALID, "DSN: is empty; one is written redis://host:port");
			return false;
		}
		if (!add_endpoint(list, dsn, error)) {
			return false;
		}
	}
	return true;
}

static bool read_dsns(php_redislock_servers *list, zend_string *text, HashTable *array, rl_error *error)
{
	zval *item;

	if (text != NULL) {
		return add_endpoints(list, text, error);
	}
	ZEND_HASH_FOREACH_VAL(array, item) {
		ZVAL_DEREF(item);
		if (Z_TYPE_P(item) != IS_STRING) {
			rl_error_set(error, RL_INVALID, "must be DSNs: every element is a string, %s given", zend_zval_type_name(item));
			return false;
		}
		if (!add_endpoint(list, rl_slice_make(Z_STRVAL_P(item), Z_STRLEN_P(item)), error)) {
			return false;
		}
	} ZEND_HASH_FOREACH_END();
	if (list->count == 0) {
		rl_error_set(error, RL_INVALID, "must name at least one server");
		return false;
	}
	return true;
}

static bool check_dsns(const php_redislock_servers *list, rl_error *error)
{
	for (uint32_t i = 0; i < list->count; i++) {
		for (uint32_t j = 0; j < i; j++) {
			if (strcasecmp(list->items[i]->address, list->items[j]->address) == 0) {
				rl_error_set(error, RL_INVALID, "must not name the same server twice: %s", list->items[i]->address);
				return false;
			}
		}
	}
	if (list->count == 2) {
		rl_error_set(error, RL_INVALID, "must name one server, or three or more for a quorum: two have no majority "
			"when one of them fails");
		return false;
	}
	if (list->count > RL_QUORUM_MAX_NODES) {
		rl_error_set(error, RL_INVALID, "must name at most %d servers", RL_QUORUM_MAX_NODES);
		return false;
	}
	return true;
}

bool php_redislock_read_servers(php_redislock_servers *list, zend_string *text, HashTable *array, rl_error *error)
{
	*list = (php_redislock_servers) {0};
	return read_dsns(list, text, array, error) && check_dsns(list, error);
}
