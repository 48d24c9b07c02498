/*
 * Any bytes as a DSN: refused with a message that is fit to be shown, or understood so that its password shows nowhere
 * and writing it down again means the same.
 *
 * Input: the DSN.
 */
#include "fuzz.h"

#include "rl_endpoint.h"

#include <ctype.h>

static void check_printable(const char *text, size_t size)
{
	CHECK(memchr(text, '\0', size) != NULL);
	for (; *text != '\0'; text++) {
		CHECK((unsigned char) *text >= 0x20 && *text != 0x7f);
	}
}

static bool append_text(rl_buffer *dsn, const char *text)
{
	return rl_buffer_append(dsn, text, strlen(text));
}

/* Percent-encodes everything but letters and digits. */
static void append_encoded(rl_buffer *dsn, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		char encoded[4];

		if (isalnum((unsigned char) bytes[i])) {
			rl_buffer_append(dsn, &bytes[i], 1);
		} else {
			snprintf(encoded, sizeof(encoded), "%%%02X", (unsigned char) bytes[i]);
			append_text(dsn, encoded);
		}
	}
}

/* In brackets a colon is written as it is. */
static void append_address(rl_buffer *dsn, const char *address)
{
	append_text(dsn, "[");
	for (; *address != '\0'; address++) {
		if (*address == ':') {
			append_text(dsn, ":");
		} else {
			append_encoded(dsn, address, 1);
		}
	}
	append_text(dsn, "]");
}

static void append_option(rl_buffer *dsn, const char *name, const char *value)
{
	if (value != NULL) {
		append_text(dsn, "&");
		append_text(dsn, name);
		append_text(dsn, "=");
		append_encoded(dsn, value, strlen(value));
	}
}

static void append_timeout(rl_buffer *dsn, const char *name, int64_t microseconds)
{
	char seconds[64];

	if (microseconds >= 0) {
		snprintf(seconds, sizeof(seconds), "%lld.%06lld", (long long) microseconds / 1000000,
			(long long) microseconds % 1000000);
		append_option(dsn, name, seconds);
	}
}

/* The same endpoint in other words. */
static rl_buffer write_again(const rl_endpoint *endpoint)
{
	static const char *const schemes[] = {"redis://", "rediss://", "unix://"};
	rl_buffer dsn = {0};
	char number[32];

	append_text(&dsn, schemes[endpoint->kind]);
	if (endpoint->password != NULL) {
		if (endpoint->user != NULL) {
			append_encoded(&dsn, endpoint->user, strlen(endpoint->user));
		}
		append_text(&dsn, ":");
		append_encoded(&dsn, endpoint->password, endpoint->password_length);
		append_text(&dsn, "@");
	}
	if (endpoint->kind == RL_ENDPOINT_UNIX) {
		append_text(&dsn, "/");
		append_encoded(&dsn, endpoint->host + 1, strlen(endpoint->host + 1));
	} else {
		if (strchr(endpoint->host, ':') != NULL) {
			append_address(&dsn, endpoint->host);
		} else {
			append_encoded(&dsn, endpoint->host, strlen(endpoint->host));
		}
		snprintf(number, sizeof(number), ":%d", endpoint->port);
		append_text(&dsn, number);
	}
	snprintf(number, sizeof(number), "?db=%d", endpoint->database);
	append_text(&dsn, number);
	append_timeout(&dsn, "timeout", endpoint->timeout_us);
	append_timeout(&dsn, "connect_timeout", endpoint->connect_timeout_us);
	append_option(&dsn, "cafile", endpoint->cafile);
	append_option(&dsn, "capath", endpoint->capath);
	append_option(&dsn, "cert", endpoint->cert);
	append_option(&dsn, "key", endpoint->key);
	append_option(&dsn, "peer_name", endpoint->peer_name);
	if (endpoint->kind == RL_ENDPOINT_TLS) {
		append_option(&dsn, "verify_peer", endpoint->verify_peer ? "1" : "0");
	}
	return dsn;
}

static void check_again(const rl_endpoint *endpoint)
{
	rl_buffer dsn = write_again(endpoint);
	rl_endpoint *again;
	rl_error error;

	/* Encoding can make a host longer than 255 characters. */
	if (dsn.data != NULL && strlen(endpoint->host) <= 85) {
		again = rl_endpoint_parse(dsn.data, dsn.length, &error);
		CHECK(again != NULL);
		CHECK(strcmp(again->identity, endpoint->identity) == 0);
		CHECK(strcmp(again->display, endpoint->display) == 0);
		CHECK(strcmp(again->address, endpoint->address) == 0);
		CHECK(again->timeout_us == endpoint->timeout_us);
		CHECK(again->connect_timeout_us == endpoint->connect_timeout_us);
		rl_endpoint_release(again);
	}
	rl_buffer_free(&dsn);
}

/* The mask stands where the password would, so nothing between user and host can be one. */
static void check_display(const rl_endpoint *endpoint)
{
	static const char *const schemes[] = {"redis://", "rediss://", "unix://"};
	rl_buffer expected = {0};
	char end[32];

	append_text(&expected, schemes[endpoint->kind]);
	if (endpoint->password != NULL) {
		if (endpoint->user != NULL) {
			append_text(&expected, endpoint->user);
		}
		append_text(&expected, ":***@");
	}
	append_text(&expected, endpoint->address);
	snprintf(end, sizeof(end), endpoint->kind == RL_ENDPOINT_UNIX ? "?db=%d" : "/%d", endpoint->database);
	append_text(&expected, end);
	rl_buffer_append(&expected, "", 1);
	CHECK(strcmp(expected.data, endpoint->display) == 0);
	rl_buffer_free(&expected);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	rl_error error;
	rl_endpoint *endpoint, *again;

	memset(&error, 0x7f, sizeof(error));
	endpoint = rl_endpoint_parse((const char *) data, size, &error);
	if (endpoint == NULL) {
		CHECK(error.status == RL_INVALID);
		check_printable(error.message, sizeof(error.message));
		check_printable(error.code, sizeof(error.code));
		CHECK(strncmp(error.message, "DSN: ", 5) == 0);
		return 0;
	}
	CHECK(endpoint->database >= 0);
	CHECK(endpoint->host[0] != '\0');
	CHECK(endpoint->kind == RL_ENDPOINT_UNIX || (endpoint->port >= 1 && endpoint->port <= 65535));
	CHECK((endpoint->cert == NULL) == (endpoint->key == NULL));
	CHECK(endpoint->user == NULL || endpoint->password != NULL);
	check_display(endpoint);
	again = rl_endpoint_parse((const char *) data, size, &error);
	CHECK(again != NULL && strcmp(again->identity, endpoint->identity) == 0);
	rl_endpoint_release(again);
	check_again(endpoint);
	rl_endpoint_release(endpoint);
	return 0;
}
