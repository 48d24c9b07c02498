/* From a DSN to an endpoint. */
#include "rl_endpoint.h"

#include "rl_socket.h"
#include "rl_tls.h"

#include <stdlib.h>

typedef enum part_status { PART_OK, PART_BAD, PART_NO_MEMORY } part_status;

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Percent-decodes a part into new, terminated memory. length may be NULL: then a NUL byte in the part is bad, because
 * everything after it would be ignored by the system.
 */
static part_status decode(rl_slice part, char **decoded, size_t *length)
{
	char *to = malloc(part.length + 1);
	size_t used = 0;

	if (to == NULL) {
		return PART_NO_MEMORY;
	}
	for (size_t i = 0; i < part.length; i++) {
		char c = part.data[i];

		if (c == '%') {
			int high = i + 2 < part.length ? hex_digit(part.data[i + 1]) : -1;
			int low = i + 2 < part.length ? hex_digit(part.data[i + 2]) : -1;

			if (high < 0 || low < 0) {
				free(to);
				return PART_BAD;
			}
			c = (char) (high * 16 + low);
			i += 2;
		}
		if (c == '\0' && length == NULL) {
			free(to);
			return PART_BAD;
		}
		to[used++] = c;
	}
	to[used] = '\0';
	if (length != NULL) {
		*length = used;
	}
	*decoded = to;
	return PART_OK;
}

/* Decodes into *decoded, with one message for whatever can be wrong. */
static bool decode_into(rl_slice part, char **decoded, size_t *length, const char *what, rl_error *error)
{
	switch (decode(part, decoded, length)) {
		case PART_OK:
			return true;
		case PART_NO_MEMORY:
			rl_error_set(error, RL_SYSTEM, "out of memory");
			return false;
		default:
			rl_error_set(error, RL_INVALID,
				"DSN: the %s is not percent-encoded correctly: '%%' must be followed by two hexadecimal digits%s",
				what, length == NULL ? " and must not stand for a NUL byte" : "");
			return false;
	}
}

/* A whole number written in digits only. */
static bool parse_integer(rl_slice text, int minimum, int maximum, int *number)
{
	int64_t sum = 0;

	if (text.length == 0 || text.length > 10) {
		return false;
	}
	for (size_t i = 0; i < text.length; i++) {
		if (text.data[i] < '0' || text.data[i] > '9') {
			return false;
		}
		sum = sum * 10 + (text.data[i] - '0');
	}
	*number = (int) sum;
	return sum >= minimum && sum <= maximum;
}

static bool parse_database(rl_slice text, rl_endpoint *endpoint, rl_error *error)
{
	if (endpoint->database >= 0) {
		rl_error_set(error, RL_INVALID, "DSN: the database is given twice");
		return false;
	}
	if (!parse_integer(text, 0, 2147483647, &endpoint->database)) {
		rl_error_set(error, RL_INVALID, "DSN: the database must be a whole number of 0 or more");
		return false;
	}
	return true;
}

/* Seconds with at most six decimals, by hand: strtod follows the locale. */
static bool parse_seconds(const char *text, int64_t *microseconds)
{
	int64_t whole = 0, fraction = 0, unit = 100000;
	const char *at = text;

	for (; *at >= '0' && *at <= '9' && whole < 100000; at++) {
		whole = whole * 10 + (*at - '0');
	}
	if (at == text) {
		return false;
	}
	if (*at == '.') {
		const char *first = ++at;

		for (; *at >= '0' && *at <= '9'; at++) {
			fraction += (*at - '0') * unit;
			unit /= 10;
		}
		if (at == first) {
			return false;
		}
	}
	*microseconds = whole * 1000000 + fraction;
	return *at == '\0' && *microseconds >= 1000 && *microseconds <= (int64_t) (RL_ENDPOINT_MAX_TIMEOUT * 1000000);
}

static bool set_timeout(const char *name, const char *value, int64_t *to, rl_error *error)
{
	if (*to >= 0) {
		rl_error_set(error, RL_INVALID, "DSN: the option %s is given twice", name);
		return false;
	}
	if (!parse_seconds(value, to)) {
		rl_error_set(error, RL_INVALID, "DSN: the option %s must be a number of seconds from 0.001 to 3600", name);
		return false;
	}
	return true;
}

/* Takes over value. */
static bool set_text(const char *name, char **value, char **to, rl_error *error)
{
	if (*to != NULL) {
		rl_error_set(error, RL_INVALID, "DSN: the option %s is given twice", name);
		return false;
	}
	if ((*value)[0] == '\0') {
		rl_error_set(error, RL_INVALID, "DSN: the option %s is empty", name);
		return false;
	}
	*to = *value;
	*value = NULL;
	return true;
}

static bool set_option(rl_endpoint *endpoint, rl_slice name, char **value, bool *verify_given, rl_error *error)
{
	const struct {
		const char *name;
		char **to;
	} tls[] = {
		{"cafile", &endpoint->cafile},
		{"capath", &endpoint->capath},
		{"cert", &endpoint->cert},
		{"key", &endpoint->key},
		{"peer_name", &endpoint->peer_name},
	};

	if (rl_slice_equal(name, rl_slice_text("db"))) {
		return parse_database(rl_slice_text(*value), endpoint, error);
	}
	if (rl_slice_equal(name, rl_slice_text("connect_timeout"))) {
		return set_timeout("connect_timeout", *value, &endpoint->connect_timeout_us, error);
	}
	if (rl_slice_equal(name, rl_slice_text("timeout"))) {
		return set_timeout("timeout", *value, &endpoint->timeout_us, error);
	}
	if (endpoint->kind == RL_ENDPOINT_TLS) {
		for (size_t i = 0; i < sizeof(tls) / sizeof(tls[0]); i++) {
			if (rl_slice_equal(name, rl_slice_text(tls[i].name))) {
				return set_text(tls[i].name, value, tls[i].to, error);
			}
		}
		if (rl_slice_equal(name, rl_slice_text("verify_peer"))) {
			bool on = strcmp(*value, "1") == 0 || strcmp(*value, "true") == 0;

			if (*verify_given) {
				rl_error_set(error, RL_INVALID, "DSN: the option verify_peer is given twice");
				return false;
			}
			if (!on && strcmp(*value, "0") != 0 && strcmp(*value, "false") != 0) {
				rl_error_set(error, RL_INVALID, "DSN: the option verify_peer must be 0 or 1");
				return false;
			}
			*verify_given = true;
			endpoint->verify_peer = on;
			return true;
		}
	}
	rl_error_set(error, RL_INVALID, "DSN: unknown option \"%.*s\"; allowed are db, connect_timeout, timeout%s",
		name.length > 32 ? 32 : (int) name.length, name.data,
		endpoint->kind == RL_ENDPOINT_TLS
			? ", cafile, capath, cert, key, peer_name, verify_peer"
			: ", and with rediss:// cafile, capath, cert, key, peer_name, verify_peer");
	return false;
}

static bool parse_options(rl_slice query, rl_endpoint *endpoint, rl_error *error)
{
	bool verify_given = false;

	while (query.length > 0) {
		const char *end = memchr(query.data, '&', query.length);
		size_t length = end == NULL ? query.length : (size_t) (end - query.data);
		const char *equals = memchr(query.data, '=', length);
		char *value = NULL;
		size_t name_length;
		bool fine;

		if (equals == NULL) {
			rl_error_set(error, RL_INVALID, "DSN: an option is written name=value");
			return false;
		}
		name_length = (size_t) (equals - query.data);
		if (!decode_into(rl_slice_make(equals + 1, length - name_length - 1), &value, NULL, "value of an option", error)) {
			return false;
		}
		fine = set_option(endpoint, rl_slice_make(query.data, name_length), &value, &verify_given, error);
		free(value);
		if (!fine) {
			return false;
		}
		query.data += end == NULL ? length : length + 1;
		query.length -= end == NULL ? length : length + 1;
	}
	return true;
}

/* user:password, either part may be empty, but not both. */
static bool parse_user_info(rl_slice info, rl_endpoint *endpoint, rl_error *error)
{
	const char *colon = memchr(info.data, ':', info.length);
	size_t user_length = colon == NULL ? info.length : (size_t) (colon - info.data);

	if (colon == NULL || user_length + 1 == info.length) {
		rl_error_set(error, RL_INVALID, "DSN: what is before the '@' is written user:password or :password");
		return false;
	}
	if (user_length > 0 && !decode_into(rl_slice_make(info.data, user_length), &endpoint->user, NULL, "user", error)) {
		return false;
	}
	return decode_into(rl_slice_make(colon + 1, info.length - user_length - 1), &endpoint->password,
		&endpoint->password_length, "password", error);
}

static bool parse_host(rl_slice text, rl_endpoint *endpoint, rl_error *error)
{
	const char *port = NULL;
	rl_slice host = text;

	if (text.length > 0 && text.data[0] == '[') {
		const char *end = memchr(text.data, ']', text.length);
		const char *after = end == NULL ? NULL : end + 1;

		if (end == NULL || (after != text.data + text.length && *after != ':')) {
			rl_error_set(error, RL_INVALID, "DSN: an IPv6 address is written in brackets: [::1]:6379");
			return false;
		}
		host = rl_slice_make(text.data + 1, (size_t) (end - text.data - 1));
		port = after == text.data + text.length ? NULL : after;
		if (memchr(host.data, ':', host.length) == NULL) {
			rl_error_set(error, RL_INVALID, "DSN: what is in brackets must be an IPv6 address");
			return false;
		}
	} else {
		port = memchr(text.data, ':', text.length);
		if (port != NULL) {
			host.length = (size_t) (port - text.data);
			if (memchr(port + 1, ':', text.length - host.length - 1) != NULL) {
				rl_error_set(error, RL_INVALID, "DSN: an IPv6 address is written in brackets: [::1]:6379");
				return false;
			}
		}
	}
	if (host.length == 0 || host.length > 255) {
		rl_error_set(error, RL_INVALID, "DSN: the host must have 1 to 255 characters");
		return false;
	}
	endpoint->port = 6379;
	if (port != NULL) {
		rl_slice digits = rl_slice_make(port + 1, (size_t) (text.data + text.length - port - 1));

		if (!parse_integer(digits, 1, 65535, &endpoint->port)) {
			rl_error_set(error, RL_INVALID, "DSN: the port must be a whole number from 1 to 65535");
			return false;
		}
	}
	if (!decode_into(host, &endpoint->host, NULL, "host", error)) {
		return false;
	}
	for (const char *c = endpoint->host; *c != '\0'; c++) {
		if ((unsigned char) *c <= ' ' || *c == 0x7f || *c == ',') {
			rl_error_set(error, RL_INVALID, "DSN: the host must not contain spaces, commas or control characters");
			return false;
		}
	}
	return true;
}

static bool parse_socket_path(rl_slice path, rl_endpoint *endpoint, rl_error *error)
{
	if (!decode_into(path, &endpoint->host, NULL, "path", error)) {
		return false;
	}
	if (endpoint->host[0] != '/' || endpoint->host[1] == '\0') {
		rl_error_set(error, RL_INVALID, "DSN: the path of a socket begins with '/': unix:///run/redis/redis.sock");
		return false;
	}
	if (strlen(endpoint->host) > rl_socket_path_max()) {
		rl_error_set(error, RL_INVALID, "DSN: the path of a socket can have at most %zu bytes",
			rl_socket_path_max());
		return false;
	}
	return true;
}

static bool parse_scheme(rl_slice *rest, rl_endpoint *endpoint, rl_error *error)
{
	static const struct {
		const char *scheme;
		rl_endpoint_kind kind;
	} schemes[] = {
		{"redis://", RL_ENDPOINT_TCP},
		{"rediss://", RL_ENDPOINT_TLS},
		{"unix://", RL_ENDPOINT_UNIX},
	};

	for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
		size_t length = strlen(schemes[i].scheme);

		if (rest->length >= length && memcmp(rest->data, schemes[i].scheme, length) == 0) {
			endpoint->kind = schemes[i].kind;
			rest->data += length;
			rest->length -= length;
			return true;
		}
	}
	rl_error_set(error, RL_INVALID, "DSN: must begin with redis://, rediss:// (TLS) or unix:// (a socket)");
	return false;
}

static bool parse_all(rl_slice rest, rl_endpoint *endpoint, rl_error *error)
{
	rl_slice authority, path = {NULL, 0}, query = {NULL, 0};
	const char *at;

	if (memchr(rest.data, '\0', rest.length) != NULL) {
		rl_error_set(error, RL_INVALID, "DSN: must not contain a NUL byte");
		return false;
	}
	if (!parse_scheme(&rest, endpoint, error)) {
		return false;
	}
	if (memchr(rest.data, '#', rest.length) != NULL) {
		rl_error_set(error, RL_INVALID, "DSN: a '#' must be written %%23");
		return false;
	}
	at = memchr(rest.data, '?', rest.length);
	if (at != NULL) {
		query = rl_slice_make(at + 1, (size_t) (rest.data + rest.length - at - 1));
		rest.length = (size_t) (at - rest.data);
	}
	if (query.data != NULL && memchr(query.data, '@', query.length) != NULL) {
		/* Most likely the end of a password, so nothing of it may be in a message. */
		rl_error_set(error, RL_INVALID, "DSN: an '@' behind a '?': in a password write %%3F for '?', in an option %%40 "
			"for '@'");
		return false;
	}
	authority = rest;
	at = memchr(rest.data, '/', rest.length);
	if (at != NULL) {
		authority.length = (size_t) (at - rest.data);
		path = rl_slice_make(at, rest.length - authority.length);
	}
	/* The last '@': a password with an '@' that was not encoded still means what its owner meant. */
	for (size_t i = authority.length; i > 0; i--) {
		if (authority.data[i - 1] == '@') {
			if (!parse_user_info(rl_slice_make(authority.data, i - 1), endpoint, error)) {
				return false;
			}
			authority.data += i;
			authority.length -= i;
			break;
		}
	}
	if (endpoint->kind == RL_ENDPOINT_UNIX) {
		if (authority.length > 0) {
			rl_error_set(error, RL_INVALID,
				"DSN: the path of a socket begins with '/': unix:///run/redis/redis.sock");
			return false;
		}
		if (!parse_socket_path(path, endpoint, error)) {
			return false;
		}
	} else {
		if (!parse_host(authority, endpoint, error)) {
			return false;
		}
		if (path.length > 1
				&& !parse_database(rl_slice_make(path.data + 1, path.length - 1), endpoint, error)) {
			return false;
		}
	}
	if (!parse_options(query, endpoint, error)) {
		return false;
	}
	if ((endpoint->cert == NULL) != (endpoint->key == NULL)) {
		rl_error_set(error, RL_INVALID, "DSN: the options cert and key belong together");
		return false;
	}
	if (endpoint->kind == RL_ENDPOINT_TLS && !rl_tls_available()) {
		rl_error_set(error, RL_INVALID, "DSN: rediss:// needs TLS, and this build of redislock has none: "
			"it was built without OpenSSL (1.1.1 or newer with its development files)");
		return false;
	}
	if (endpoint->database < 0) {
		endpoint->database = 0;
	}
	if (!rl_endpoint_describe(endpoint)) {
		rl_error_set(error, RL_SYSTEM, "out of memory");
		return false;
	}
	return true;
}

rl_endpoint *rl_endpoint_parse(const char *dsn, size_t length, rl_error *error)
{
	rl_endpoint *endpoint = calloc(1, sizeof(*endpoint));

	if (endpoint == NULL) {
		rl_error_set(error, RL_SYSTEM, "out of memory");
		return NULL;
	}
	endpoint->references = 1;
	endpoint->database = -1;
	endpoint->connect_timeout_us = endpoint->timeout_us = -1;
	endpoint->verify_peer = true;
	if (!parse_all(rl_slice_make(dsn, length), endpoint, error)) {
		rl_endpoint_release(endpoint);
		return NULL;
	}
	return endpoint;
}
