#include "rl_tls.h"

#ifdef HAVE_HIREDIS_SSL

#include <errno.h>
#include <hiredis/hiredis.h>
#include <hiredis/hiredis_ssl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

struct rl_tls {
	redisContext *context;
	SSL *ssl;
	size_t pending;   /* bytes in the context's output buffer */
};

bool rl_tls_available(void)
{
	return true;
}

/* The text of OpenSSL's oldest error, and none left behind for the application's own use of OpenSSL. */
static void take_openssl_error(char *what, size_t size)
{
	unsigned long code = ERR_get_error();

	if (code == 0) {
		snprintf(what, size, "unknown TLS error");
	} else {
		ERR_error_string_n(code, what, size);
	}
	ERR_clear_error();
}

static bool load_files(SSL_CTX *settings, const rl_endpoint *endpoint)
{
	if (endpoint->cafile != NULL || endpoint->capath != NULL) {
		if (SSL_CTX_load_verify_locations(settings, endpoint->cafile, endpoint->capath) != 1) {
			return false;
		}
	} else if (SSL_CTX_set_default_verify_paths(settings) != 1) {
		return false;
	}
	if (endpoint->cert != NULL) {
		return SSL_CTX_use_certificate_chain_file(settings, endpoint->cert) == 1
			&& SSL_CTX_use_PrivateKey_file(settings, endpoint->key, SSL_FILETYPE_PEM) == 1
			&& SSL_CTX_check_private_key(settings) == 1;
	}
	return true;
}

/* The name in the certificate must be the one we meant to reach: peer_name, or the host. */
static bool require_name(SSL *ssl, const rl_endpoint *endpoint)
{
	const char *name = endpoint->peer_name != NULL ? endpoint->peer_name : endpoint->host;
	unsigned char address[sizeof(struct in6_addr)];
	bool is_address = inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;

	if (!is_address && SSL_set_tlsext_host_name(ssl, name) != 1) {
		return false;
	}
	if (!endpoint->verify_peer) {
		return true;
	}
	if (is_address) {
		return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name) == 1;
	}
	return X509_VERIFY_PARAM_set1_host(SSL_get0_param(ssl), name, 0) == 1;
}

static SSL *make_ssl(const rl_endpoint *endpoint)
{
	SSL_CTX *settings = SSL_CTX_new(TLS_client_method());
	SSL *ssl = NULL;

	if (settings == NULL) {
		return NULL;
	}
	SSL_CTX_set_min_proto_version(settings, TLS1_2_VERSION);
	SSL_CTX_set_verify(settings, endpoint->verify_peer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
	if (load_files(settings, endpoint)) {
		ssl = SSL_new(settings);
	}
	/* The SSL object keeps its own reference. */
	SSL_CTX_free(settings);
	if (ssl != NULL && !require_name(ssl, endpoint)) {
		SSL_free(ssl);
		return NULL;
	}
	return ssl;
}

rl_tls *rl_tls_start(int fd, const rl_endpoint *endpoint, rl_error *error)
{
	redisOptions options = {0};
	rl_tls *tls = calloc(1, sizeof(*tls));
	char what[256];

	ERR_clear_error();
	options.type = REDIS_CONN_USERFD;
	options.endpoint.fd = fd;
	options.options = REDIS_OPT_NONBLOCK;
	if (tls != NULL) {
		tls->context = redisConnectWithOptions(&options);
	}
	if (tls == NULL || tls->context == NULL) {
		free(tls);
		rl_error_set(error, RL_SYSTEM, "out of memory");
		return NULL;
	}
	tls->ssl = make_ssl(endpoint);
	if (tls->ssl == NULL) {
		take_openssl_error(what, sizeof(what));
		rl_error_set(error, RL_CONNECTION, "%s: TLS cannot be set up: %s", endpoint->display, what);
		rl_tls_free(tls);
		return NULL;
	}
	/* From here on the SSL object belongs to the context, also if this fails. */
	if (redisInitiateSSL(tls->context, tls->ssl) != REDIS_OK) {
		rl_tls_explain(tls, what, sizeof(what));
		rl_error_set(error, RL_CONNECTION, "%s: TLS: %s", endpoint->display, what);
		rl_tls_free(tls);
		return NULL;
	}
	return tls;
}

rl_tls_progress rl_tls_handshake(rl_tls *tls)
{
	int result;

	ERR_clear_error();
	result = SSL_do_handshake(tls->ssl);
	if (result == 1) {
		return RL_TLS_DONE;
	}
	switch (SSL_get_error(tls->ssl, result)) {
		case SSL_ERROR_WANT_READ:
			return RL_TLS_WANTS_READ;
		case SSL_ERROR_WANT_WRITE:
			return RL_TLS_WANTS_WRITE;
		default:
			return RL_TLS_FAILED;
	}
}

void rl_tls_free(rl_tls *tls)
{
	if (tls == NULL) {
		return;
	}
	/* SSL_free() without SSL_shutdown(): nothing is sent. The socket is the caller's. */
	redisFreeKeepFd(tls->context);
	free(tls);
}

ssize_t rl_tls_read(rl_tls *tls, char *to, size_t size)
{
	ssize_t got = tls->context->funcs->read(tls->context, to, size);

	if (got > 0) {
		return got;
	}
	if (got == 0) {
		errno = EAGAIN;
		return -1;
	}
	if (tls->context->err == REDIS_ERR_EOF) {
		return 0;
	}
	errno = EPROTO;
	return -1;
}

bool rl_tls_flush(rl_tls *tls)
{
	int done = 0;

	if (tls->pending == 0) {
		return true;
	}
	if (redisBufferWrite(tls->context, &done) != REDIS_OK) {
		return false;
	}
	if (done) {
		tls->pending = 0;
	}
	return true;
}

ssize_t rl_tls_write(rl_tls *tls, const char *data, size_t length)
{
	if (redisAppendFormattedCommand(tls->context, data, length) != REDIS_OK) {
		errno = ENOMEM;
		return -1;
	}
	tls->pending += length;
	if (!rl_tls_flush(tls)) {
		errno = EPROTO;
		return -1;
	}
	return (ssize_t) length;
}

bool rl_tls_is_pending(const rl_tls *tls)
{
	return tls->pending > 0;
}

void rl_tls_explain(rl_tls *tls, char *what, size_t size)
{
	long verified = SSL_get_verify_result(tls->ssl);

	if (verified != X509_V_OK) {
		snprintf(what, size, "the server's certificate is not accepted: %s", X509_verify_cert_error_string(verified));
		ERR_clear_error();
	} else if (tls->context->err != 0 && tls->context->errstr[0] != '\0') {
		snprintf(what, size, "%s", tls->context->errstr);
		ERR_clear_error();
	} else {
		take_openssl_error(what, size);
	}
}

#else

#include <stdio.h>

bool rl_tls_available(void)
{
	return false;
}

rl_tls *rl_tls_start(int fd, const rl_endpoint *endpoint, rl_error *error)
{
	(void) fd;
	rl_error_set(error, RL_CONNECTION, "%s: this build of redislock has no TLS", endpoint->display);
	return NULL;
}

rl_tls_progress rl_tls_handshake(rl_tls *tls)
{
	(void) tls;
	return RL_TLS_FAILED;
}

void rl_tls_free(rl_tls *tls)
{
	(void) tls;
}

ssize_t rl_tls_read(rl_tls *tls, char *to, size_t size)
{
	(void) tls;
	(void) to;
	(void) size;
	return -1;
}

ssize_t rl_tls_write(rl_tls *tls, const char *data, size_t length)
{
	(void) tls;
	(void) data;
	(void) length;
	return -1;
}

bool rl_tls_flush(rl_tls *tls)
{
	(void) tls;
	return false;
}

bool rl_tls_is_pending(const rl_tls *tls)
{
	(void) tls;
	return false;
}

void rl_tls_explain(rl_tls *tls, char *what, size_t size)
{
	(void) tls;
	snprintf(what, size, "no TLS");
}

#endif
