#include "rl_tls.h"

#ifdef REDISLOCK_TLS

#include "rl_socket.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WHAT_SIZE = 256 };

struct rl_tls {
	SSL *ssl;
	const rl_endpoint *endpoint;
	int fd;
	int socket_error;             /* errno of the last call on the socket, 0: it was fine */
	bool socket_ended;            /* the server has closed it */
	bool established;             /* the handshake is done */
	bool certificate_wanted;      /* the server asked for ours, and has not shown yet that it takes us without or with it */
	char problem[WHAT_SIZE];      /* "": TLS has not failed */
};

bool rl_tls_available(void)
{
	return true;
}

const char *rl_tls_library(void)
{
	return OpenSSL_version(OPENSSL_VERSION);
}

/*
 * The socket as OpenSSL sees it. OpenSSL's own would write() and so raise SIGPIPE, and might close the socket.
 */

static BIO_METHOD *socket_method;
static CRYPTO_ONCE socket_method_made = CRYPTO_ONCE_STATIC_INIT;

static int bio_result(BIO *bio, rl_tls *tls, ssize_t done, int retry)
{
	BIO_clear_retry_flags(bio);
	tls->socket_error = done < 0 ? errno : 0;
	if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
		BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
	}
	return (int) done;
}

static int bio_write(BIO *bio, const char *data, int length)
{
	rl_tls *tls = BIO_get_data(bio);

	return bio_result(bio, tls, rl_socket_send(tls->fd, data, (size_t) length), BIO_FLAGS_WRITE);
}

static int bio_read(BIO *bio, char *to, int size)
{
	rl_tls *tls = BIO_get_data(bio);
	ssize_t got = rl_socket_receive(tls->fd, to, (size_t) size);

	if (got == 0) {
		tls->socket_ended = true;
	}
	return bio_result(bio, tls, got, BIO_FLAGS_READ);
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
	(void) number;
	(void) pointer;
	switch (command) {
		case BIO_CTRL_FLUSH:
			return 1;   /* nothing is kept back */
		case BIO_CTRL_EOF:
			return ((rl_tls *) BIO_get_data(bio))->socket_ended;
		default:
			return 0;
	}
}

static void make_socket_method(void)
{
	BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "redislock socket");

	if (method != NULL) {
		BIO_meth_set_write(method, bio_write);
		BIO_meth_set_read(method, bio_read);
		BIO_meth_set_ctrl(method, bio_control);
	}
	socket_method = method;   /* for the whole life of the process */
}

static bool attach_socket(rl_tls *tls)
{
	BIO *bio;

	bio = CRYPTO_THREAD_run_once(&socket_method_made, make_socket_method) == 1 && socket_method != NULL
		? BIO_new(socket_method) : NULL;
	if (bio == NULL) {
		return false;
	}
	BIO_set_data(bio, tls);
	BIO_set_init(bio, 1);
	SSL_set_bio(tls->ssl, bio, bio);
	return true;
}

/*
 * Settings.
 */

/*
 * Writes to tls->problem: what, its value if it has one, and the reason that OpenSSL gives; or `otherwise` if it gives
 * none. The errors are taken out of OpenSSL's queue: whoever else uses it in this thread would find them.
 */
static void note_problem(rl_tls *tls, const char *what, const char *value, const char *otherwise)
{
	unsigned long code = ERR_peek_error();
	const char *reason = code == 0 ? NULL : ERR_reason_error_string(code);

#ifdef ERR_SYSTEM_ERROR
	if (code != 0 && ERR_SYSTEM_ERROR(code)) {
		reason = strerror(ERR_GET_REASON(code));
	}
#endif
	snprintf(tls->problem, sizeof(tls->problem), "%s%s%s%s: %s", what, value == NULL ? "" : " \"", value == NULL ? "" : value,
		value == NULL ? "" : "\"", reason == NULL ? otherwise : reason);
	ERR_clear_error();
}

static bool setting_failed(rl_tls *tls, const char *what, const char *value)
{
	note_problem(tls, what, value, "it cannot be used");
	return false;
}

/* Without this one OpenSSL would ask on the terminal, and wait. */
static int no_pass_phrase(char *buffer, int size, int writing, void *asked)
{
	(void) buffer;
	(void) size;
	(void) writing;
	*(bool *) asked = true;
	return -1;
}

static bool load_key(rl_tls *tls, SSL_CTX *settings)
{
	const char *key = tls->endpoint->key;
	bool asked = false;
	bool loaded;

	SSL_CTX_set_default_passwd_cb(settings, no_pass_phrase);
	SSL_CTX_set_default_passwd_cb_userdata(settings, &asked);
	loaded = SSL_CTX_use_PrivateKey_file(settings, key, SSL_FILETYPE_PEM) == 1;
	SSL_CTX_set_default_passwd_cb_userdata(settings, NULL);
	if (asked) {
		ERR_clear_error();
		note_problem(tls, "key", key, "it is protected by a pass phrase, and redislock has none");
		return false;
	}
	if (!loaded) {
		return setting_failed(tls, "key", key);
	}
	return SSL_CTX_check_private_key(settings) == 1 || setting_failed(tls, "key", key);
}

/* OpenSSL looks into the folder only when it needs a certificate, and says nothing if there is no folder. */
static bool is_folder(const char *path)
{
	struct stat what;

	if (stat(path, &what) != 0) {
		return false;
	}
	if ((what.st_mode & S_IFMT) != S_IFDIR) {
		errno = ENOTDIR;
		return false;
	}
	return true;
}

static bool is_ip_address(const char *name)
{
	ASN1_OCTET_STRING *address = a2i_IPADDRESS(name);

	ASN1_OCTET_STRING_free(address);
	ERR_clear_error();
	return address != NULL;
}

static bool load_files(rl_tls *tls, SSL_CTX *settings)
{
	const rl_endpoint *endpoint = tls->endpoint;

	if (endpoint->capath != NULL && !is_folder(endpoint->capath)) {
		note_problem(tls, "capath", endpoint->capath, strerror(errno));
		return false;
	}
	if (endpoint->cafile != NULL && SSL_CTX_load_verify_locations(settings, endpoint->cafile, NULL) != 1) {
		return setting_failed(tls, "cafile", endpoint->cafile);
	}
	if (endpoint->capath != NULL && SSL_CTX_load_verify_locations(settings, NULL, endpoint->capath) != 1) {
		return setting_failed(tls, "capath", endpoint->capath);
	}
	if (endpoint->verify_peer && endpoint->cafile == NULL && endpoint->capath == NULL
			&& SSL_CTX_set_default_verify_paths(settings) != 1) {
		return setting_failed(tls, "the system's certificates", NULL);
	}
	if (endpoint->cert == NULL) {
		return true;
	}
	if (SSL_CTX_use_certificate_chain_file(settings, endpoint->cert) != 1) {
		return setting_failed(tls, "cert", endpoint->cert);
	}
	return load_key(tls, settings);
}

static const char *expected_name(const rl_endpoint *endpoint)
{
	return endpoint->peer_name != NULL ? endpoint->peer_name : endpoint->host;
}

static bool set_address(rl_tls *tls, const char *address)
{
	return !tls->endpoint->verify_peer || X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls->ssl), address) == 1;
}

/* A dot at the end keeps the resolver from trying its own domains; neither a certificate nor SNI knows the name with it. */
static bool set_host(rl_tls *tls, const char *host)
{
	size_t length = strlen(host);
	char *name = malloc(length + 1);
	bool done;

	if (name == NULL) {
		return false;
	}
	memcpy(name, host, length + 1);
	if (length > 1 && name[length - 1] == '.') {
		name[length - 1] = '\0';
	}
	done = SSL_set_tlsext_host_name(tls->ssl, name) == 1
		&& (!tls->endpoint->verify_peer || X509_VERIFY_PARAM_set1_host(SSL_get0_param(tls->ssl), name, 0) == 1);

	free(name);
	return done;
}

/* The name in the certificate must be the one we meant to reach. An address is nothing to choose a certificate by. */
static bool require_name(rl_tls *tls)
{
	const char *name = expected_name(tls->endpoint);

	return (is_ip_address(name) ? set_address(tls, name) : set_host(tls, name)) || setting_failed(tls, "peer_name", name);
}

/* OpenSSL calls this when the server asks for a certificate; what was loaded is used then. */
static int note_wanted(SSL *ssl, void *tls)
{
	(void) ssl;
	((rl_tls *) tls)->certificate_wanted = true;
	return 1;
}

static bool make_ssl(rl_tls *tls)
{
	SSL_CTX *settings = SSL_CTX_new(TLS_client_method());
	bool made;

	if (settings == NULL) {
		return setting_failed(tls, "OpenSSL", NULL);
	}
	SSL_CTX_set_min_proto_version(settings, TLS1_2_VERSION);
	SSL_CTX_set_options(settings, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
	SSL_CTX_set_mode(settings, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
	SSL_CTX_set_verify(settings, tls->endpoint->verify_peer ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, NULL);
	SSL_CTX_set_cert_cb(settings, note_wanted, tls);
	made = load_files(tls, settings);
	if (made) {
		tls->ssl = SSL_new(settings);
		made = tls->ssl != NULL && attach_socket(tls) ? require_name(tls) : setting_failed(tls, "OpenSSL", NULL);
	}
	/* The SSL object keeps its own reference. */
	SSL_CTX_free(settings);
	if (made) {
		SSL_set_connect_state(tls->ssl);
	}
	return made;
}

rl_tls *rl_tls_start(int fd, const rl_endpoint *endpoint, rl_error *error)
{
	rl_tls *tls = calloc(1, sizeof(*tls));

	if (tls == NULL) {
		rl_error_set(error, RL_SYSTEM, "out of memory");
		return NULL;
	}
	tls->endpoint = endpoint;
	tls->fd = fd;
	ERR_clear_error();
	if (!make_ssl(tls)) {
		rl_error_set(error, RL_CONNECTION, "%s: TLS cannot be set up: %s", endpoint->display, tls->problem);
		rl_tls_free(tls);
		return NULL;
	}
	return tls;
}

void rl_tls_free(rl_tls *tls)
{
	if (tls != NULL) {
		/* Without SSL_shutdown(), so nothing is sent. */
		SSL_free(tls->ssl);
		free(tls);
	}
}

/*
 * What goes wrong.
 */

static void explain_certificate(rl_tls *tls, long verified)
{
	bool other_name = verified == X509_V_ERR_HOSTNAME_MISMATCH || verified == X509_V_ERR_IP_ADDRESS_MISMATCH;

	snprintf(tls->problem, sizeof(tls->problem), "TLS: the server's certificate is not accepted: %s%s%s%s",
		X509_verify_cert_error_string(verified), other_name ? ", it is not one for \"" : "",
		other_name ? expected_name(tls->endpoint) : "", other_name ? "\"" : "");
	ERR_clear_error();
}

/* The server has sent a fatal alert, or closed the connection, as one does that cannot do with us. */
static bool is_refusal(const rl_tls *tls, unsigned long code)
{
	return tls->socket_ended || (ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) >= SSL_AD_REASON_OFFSET);
}

static void explain(rl_tls *tls)
{
	unsigned long code = ERR_peek_error();
	int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
	long verified = SSL_get_verify_result(tls->ssl);

	if (!tls->established && tls->endpoint->verify_peer && verified != X509_V_OK) {
		explain_certificate(tls, verified);
	} else if (tls->certificate_wanted && tls->endpoint->cert == NULL && is_refusal(tls, code)) {
		note_problem(tls, "TLS: the server wants a certificate of its client (the options cert and key)", NULL,
			"it closed the connection");
	} else if (!tls->established && (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST)) {
		ERR_clear_error();
		note_problem(tls, "TLS", NULL, "the server answers without TLS: is it one for redis://?");
	} else if (tls->socket_error != 0) {
		ERR_clear_error();
		note_problem(tls, "TLS", NULL, strerror(tls->socket_error));
	} else if (tls->socket_ended) {
		ERR_clear_error();
		note_problem(tls, "TLS", NULL,
			tls->established ? "the server closed the connection" : "the server closed the connection during the handshake");
	} else {
		note_problem(tls, "TLS", NULL, "an unknown error");
	}
}

bool rl_tls_explain(const rl_tls *tls, char *what, size_t size)
{
	if (tls->problem[0] == '\0') {
		return false;
	}
	snprintf(what, size, "%s", tls->problem);
	return true;
}

/*
 * The three that talk.
 */

/* A call that begins with somebody else's error in the queue would take it for its own. */
static void begin(rl_tls *tls)
{
	ERR_clear_error();
	tls->socket_error = 0;
}

rl_tls_progress rl_tls_handshake(rl_tls *tls)
{
	int result;

	begin(tls);
	result = SSL_do_handshake(tls->ssl);
	if (result == 1) {
		tls->established = true;
		if (SSL_version(tls->ssl) < TLS1_3_VERSION) {
			/* Here the server has looked at the certificate before it said that it is done. */
			tls->certificate_wanted = false;
		}
		return RL_TLS_DONE;
	}
	switch (SSL_get_error(tls->ssl, result)) {
		case SSL_ERROR_WANT_READ:
			return RL_TLS_WANTS_READ;
		case SSL_ERROR_WANT_WRITE:
			return RL_TLS_WANTS_WRITE;
		default:
			explain(tls);
			return RL_TLS_FAILED;
	}
}

bool rl_tls_may_be_refused(const rl_tls *tls)
{
	return tls->certificate_wanted;
}

/* What a read or write that did not succeed means, as recv() and send() would say it. */
static ssize_t fail(rl_tls *tls, int result)
{
	switch (SSL_get_error(tls->ssl, result)) {
		case SSL_ERROR_WANT_READ:
		case SSL_ERROR_WANT_WRITE:
			errno = EAGAIN;
			return -1;
		case SSL_ERROR_ZERO_RETURN:
			return 0;
		default:
			break;
	}
	if (tls->socket_ended && !(tls->certificate_wanted && tls->endpoint->cert == NULL)) {
		/* Without a word of TLS before: a server that was killed. Replies have an end of their own. */
		ERR_clear_error();
		return 0;
	}
	explain(tls);
	errno = tls->socket_error != 0 ? tls->socket_error : EPROTO;
	return -1;
}

ssize_t rl_tls_read(rl_tls *tls, char *to, size_t size)
{
	size_t got = 0;
	int result;

	begin(tls);
	result = SSL_read_ex(tls->ssl, to, size, &got);
	if (result != 1) {
		return fail(tls, result);
	}
	tls->certificate_wanted = false;
	return (ssize_t) got;
}

ssize_t rl_tls_write(rl_tls *tls, const char *data, size_t length)
{
	size_t written = 0;
	int result;

	begin(tls);
	result = SSL_write_ex(tls->ssl, data, length, &written);
	if (result == 1) {
		return (ssize_t) written;
	}
	if (fail(tls, result) == 0) {
		errno = EPIPE;
	}
	return -1;
}

#else

bool rl_tls_available(void)
{
	return false;
}

const char *rl_tls_library(void)
{
	return "";
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

bool rl_tls_may_be_refused(const rl_tls *tls)
{
	(void) tls;
	return false;
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

bool rl_tls_explain(const rl_tls *tls, char *what, size_t size)
{
	(void) tls;
	(void) what;
	(void) size;
	return false;
}

#endif
