#include "rl_endpoint.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* snprintf into new memory; NULL: no memory. */
static char *format_text(const char *format, ...) RL_PRINTF(1, 2);

static char *format_text(const char *format, ...)
{
	va_list arguments, again;
	char *text;
	int length;

	va_start(arguments, format);
	va_copy(again, arguments);
	length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	text = length < 0 ? NULL : malloc((size_t) length + 1);
	if (text != NULL) {
		vsnprintf(text, (size_t) length + 1, format, again);
	}
	va_end(again);
	return text;
}

static const char *or_empty(const char *text)
{
	return text == NULL ? "" : text;
}

bool rl_endpoint_describe(rl_endpoint *endpoint)
{
	static const char *const schemes[] = {"redis", "rediss", "unix"};
	const char *login = endpoint->password == NULL ? "" : ":***@";
	bool bracket = endpoint->kind != RL_ENDPOINT_UNIX && strchr(endpoint->host, ':') != NULL;
	rl_buffer identity = {0};
	char head[64];
	const char *texts[] = {
		endpoint->host, or_empty(endpoint->user), or_empty(endpoint->cafile), or_empty(endpoint->capath),
		or_empty(endpoint->cert), or_empty(endpoint->key), or_empty(endpoint->peer_name)
	};
	bool fine = true;

	if (endpoint->kind == RL_ENDPOINT_UNIX) {
		endpoint->address = format_text("%s", endpoint->host);
		endpoint->display = format_text("unix://%s%s%s%s?db=%d", or_empty(endpoint->user), login, endpoint->host, "",
			endpoint->database);
	} else {
		endpoint->address = format_text("%s%s%s:%d", bracket ? "[" : "", endpoint->host, bracket ? "]" : "",
			endpoint->port);
		endpoint->display = endpoint->address == NULL ? NULL : format_text("%s://%s%s%s/%d", schemes[endpoint->kind],
			or_empty(endpoint->user), login, endpoint->address, endpoint->database);
	}
	/* Lengths before the texts: two different endpoints can never have the same identity. */
	snprintf(head, sizeof(head), "%d %d %d %d %d", (int) endpoint->kind, endpoint->port, endpoint->database,
		endpoint->verify_peer, endpoint->password != NULL);
	fine = rl_buffer_append(&identity, head, strlen(head));
	for (size_t i = 0; fine && i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(head, sizeof(head), " %zu:", strlen(texts[i]));
		fine = rl_buffer_append(&identity, head, strlen(head))
			&& rl_buffer_append(&identity, texts[i], strlen(texts[i]));
	}
	/* The password may hold NUL bytes, and the identity is a string: written in hexadecimal. */
	for (size_t i = 0; fine && i < endpoint->password_length; i++) {
		snprintf(head, sizeof(head), "%02x", (unsigned char) endpoint->password[i]);
		fine = rl_buffer_append(&identity, head, 2);
	}
	fine = fine && rl_buffer_append(&identity, "", 1);
	endpoint->identity = identity.data;
	return fine && endpoint->address != NULL && endpoint->display != NULL;
}

const char *rl_endpoint_hint(const rl_endpoint *endpoint)
{
	return endpoint->kind == RL_ENDPOINT_TLS ? " (a server for redis:// does not answer rediss://)" : "";
}

static void free_secret(char *text, size_t length)
{
	if (text != NULL) {
		rl_wipe(text, length);
		free(text);
	}
}

rl_endpoint *rl_endpoint_retain(rl_endpoint *endpoint)
{
	endpoint->references++;
	return endpoint;
}

void rl_endpoint_release(rl_endpoint *endpoint)
{
	if (endpoint == NULL || --endpoint->references > 0) {
		return;
	}
	free_secret(endpoint->password, endpoint->password_length);
	free_secret(endpoint->identity, endpoint->identity == NULL ? 0 : strlen(endpoint->identity));
	free(endpoint->host);
	free(endpoint->user);
	free(endpoint->cafile);
	free(endpoint->capath);
	free(endpoint->cert);
	free(endpoint->key);
	free(endpoint->peer_name);
	free(endpoint->display);
	free(endpoint->address);
	free(endpoint);
}
