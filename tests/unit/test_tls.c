/* TLS on a pair of sockets, with OpenSSL as the server on the other one, in the same thread. */
#include "support.h"

#include "rl_endpoint.h"
#include "rl_tls.h"

#ifdef REDISLOCK_TLS

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#define DSN "rediss://:s3cr3t@redis.example:1?verify_peer=0"

typedef struct fixture {
	rl_endpoint *endpoint;
	rl_tls *tls;
	int ours;
	int theirs;              /* -1: closed */
	SSL_CTX *settings;
	SSL *server;
} fixture;

static volatile sig_atomic_t broken_pipes;

static void count_broken_pipe(int number)
{
	(void) number;
	broken_pipes++;
}

static void certify(SSL_CTX *settings)
{
	EVP_PKEY *key = EVP_EC_gen("P-256");
	X509 *certificate = X509_new();

	X509_set_version(certificate, 2);
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
	X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
	X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
	X509_set_pubkey(certificate, key);
	X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
		(const unsigned char *) "redis.example", -1, -1, 0);
	X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
	assert_true(X509_sign(certificate, key, EVP_sha256()) > 0);
	assert_int_equal(SSL_CTX_use_certificate(settings, certificate), 1);
	assert_int_equal(SSL_CTX_use_PrivateKey(settings, key), 1);
	X509_free(certificate);
	EVP_PKEY_free(key);
}

static int begin(void **state)
{
	fixture *f = calloc(1, sizeof(*f));
	rl_error error;
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
	f->ours = pair[0];
	f->theirs = pair[1];
	f->settings = SSL_CTX_new(TLS_server_method());
	certify(f->settings);
	f->server = SSL_new(f->settings);
	SSL_set_fd(f->server, f->theirs);
	SSL_set_accept_state(f->server);
	f->endpoint = rl_endpoint_parse(DSN, strlen(DSN), &error);
	assert_non_null(f->endpoint);
	f->tls = rl_tls_start(f->ours, f->endpoint, &error);
	assert_non_null(f->tls);
	broken_pipes = 0;
	signal(SIGPIPE, count_broken_pipe);
	*state = f;
	return 0;
}

static void close_server(fixture *f)
{
	close(f->theirs);
	f->theirs = -1;
}

static int end(void **state)
{
	fixture *f = *state;

	rl_tls_free(f->tls);
	/* Whatever was freed must have left the socket alone. */
	assert_true(fcntl(f->ours, F_GETFD) >= 0);
	SSL_free(f->server);
	SSL_CTX_free(f->settings);
	close(f->ours);
	if (f->theirs >= 0) {
		close(f->theirs);
	}
	rl_endpoint_release(f->endpoint);
	free(f);
	signal(SIGPIPE, SIG_DFL);
	return 0;
}

static void shake_hands(fixture *f)
{
	bool done = false;

	for (int step = 0; step < 20 && !(done && SSL_is_init_finished(f->server)); step++) {
		if (!done) {
			rl_tls_progress progress = rl_tls_handshake(f->tls);

			assert_int_not_equal(progress, RL_TLS_FAILED);
			done = progress == RL_TLS_DONE;
		}
		SSL_do_handshake(f->server);
		ERR_clear_error();
	}
	assert_true(done && SSL_is_init_finished(f->server));
}

static void assert_again(ssize_t result)
{
	assert_int_equal(result, -1);
	assert_int_equal(errno, EAGAIN);
}

static void test_bytes_go_both_ways(void **state)
{
	fixture *f = *state;
	char bytes[32];

	assert_int_equal(rl_tls_handshake(f->tls), RL_TLS_WANTS_READ);
	assert_int_equal(rl_tls_handshake(f->tls), RL_TLS_WANTS_READ);
	shake_hands(f);
	assert_false(rl_tls_may_be_refused(f->tls));
	assert_again(rl_tls_read(f->tls, bytes, sizeof(bytes)));
	assert_int_equal(rl_tls_write(f->tls, "PING\r\n", 6), 6);
	assert_int_equal(SSL_read(f->server, bytes, sizeof(bytes)), 6);
	assert_int_equal(SSL_write(f->server, "+PONG\r\n", 7), 7);
	assert_int_equal(rl_tls_read(f->tls, bytes, sizeof(bytes)), 7);
	assert_memory_equal(bytes, "+PONG\r\n", 7);
	assert_again(rl_tls_read(f->tls, bytes, sizeof(bytes)));
}

/* A server that is gone must never end the process. */
static void test_no_sigpipe(void **state)
{
	fixture *f = *state;
	char what[256];

	shake_hands(f);
	close_server(f);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(rl_tls_write(f->tls, "PING\r\n", 6), -1);
		assert_int_not_equal(errno, EAGAIN);
	}
	assert_int_equal(broken_pipes, 0);
	assert_true(rl_tls_explain(f->tls, what, sizeof(what)));
}

static void test_no_sigpipe_in_the_handshake(void **state)
{
	fixture *f = *state;
	char what[256];

	close_server(f);
	assert_int_equal(rl_tls_handshake(f->tls), RL_TLS_FAILED);
	assert_int_equal(broken_pipes, 0);
	assert_true(rl_tls_explain(f->tls, what, sizeof(what)));
	assert_contains(what, "Broken pipe");
}

/* The application uses OpenSSL too, and may have left an error in the queue of the thread. */
static void leave_an_error(void)
{
	ERR_put_error(ERR_LIB_SSL, 0, SSL_R_BAD_LENGTH, __FILE__, __LINE__);
	assert_int_not_equal(ERR_peek_error(), 0);
}

static void test_errors_of_others_are_not_ours(void **state)
{
	fixture *f = *state;
	char bytes[32];

	leave_an_error();
	assert_int_equal(rl_tls_handshake(f->tls), RL_TLS_WANTS_READ);
	shake_hands(f);
	leave_an_error();
	assert_again(rl_tls_read(f->tls, bytes, sizeof(bytes)));
	leave_an_error();
	assert_int_equal(rl_tls_write(f->tls, "PING\r\n", 6), 6);
	assert_int_equal(SSL_write(f->server, "+PONG\r\n", 7), 7);
	leave_an_error();
	assert_int_equal(rl_tls_read(f->tls, bytes, sizeof(bytes)), 7);
}

/* And ours are not theirs. */
static void test_leaves_no_error_behind(void **state)
{
	fixture *f = *state;
	char what[256];

	assert_int_equal(rl_tls_handshake(f->tls), RL_TLS_WANTS_READ);
	assert_int_equal(write(f->theirs, "-ERR max number of clients reached\r\n", 36), 36);
	assert_int_equal(rl_tls_handshake(f->tls), RL_TLS_FAILED);
	assert_true(rl_tls_explain(f->tls, what, sizeof(what)));
	assert_contains(what, "redis://");
	assert_int_equal(ERR_peek_error(), 0);
}

/* A full socket: nothing is counted that the server could not read in whole. */
static void test_partial_writes(void **state)
{
	fixture *f = *state;
	size_t size = 4 * 1024 * 1024;
	char *data = malloc(size);
	char *got = malloc(size);
	size_t written = 0;
	size_t arrived = 0;
	ssize_t result;

	assert_true(data != NULL && got != NULL);
	for (size_t i = 0; i < size; i++) {
		data[i] = (char) (i * 31 + (i >> 9));
	}
	shake_hands(f);
	while ((result = rl_tls_write(f->tls, data + written, size - written)) > 0) {
		written += (size_t) result;
	}
	assert_again(result);
	assert_true(written > 0 && written < size);
	/* What the server can read now is what was counted. */
	for (int read; (read = SSL_read(f->server, got + arrived, (int) (size - arrived))) > 0;) {
		arrived += (size_t) read;
	}
	ERR_clear_error();
	assert_int_equal(arrived, written);
	while (written < size) {
		/* The same bytes, elsewhere in memory: the buffer may have moved. */
		char *moved = malloc(size - written);

		memcpy(moved, data + written, size - written);
		result = rl_tls_write(f->tls, moved, size - written);
		free(moved);
		if (result > 0) {
			written += (size_t) result;
		}
		for (int read; (read = SSL_read(f->server, got + arrived, (int) (size - arrived))) > 0;) {
			arrived += (size_t) read;
		}
		ERR_clear_error();
	}
	assert_int_equal(arrived, size);
	assert_memory_equal(got, data, size);
	free(data);
	free(got);
}

static void test_the_end_of_the_stream(void **state)
{
	fixture *f = *state;
	char bytes[8];
	char what[256];

	shake_hands(f);
	SSL_write(f->server, "+OK\r\n", 5);
	close_server(f);
	assert_int_equal(rl_tls_read(f->tls, bytes, sizeof(bytes)), 5);
	assert_int_equal(rl_tls_read(f->tls, bytes, sizeof(bytes)), 0);
	assert_int_equal(rl_tls_read(f->tls, bytes, sizeof(bytes)), 0);
	assert_false(rl_tls_explain(f->tls, what, sizeof(what)));
}

static void test_the_server_says_goodbye(void **state)
{
	fixture *f = *state;
	char bytes[8];

	shake_hands(f);
	SSL_shutdown(f->server);
	assert_int_equal(rl_tls_read(f->tls, bytes, sizeof(bytes)), 0);
}

static void test_bytes_that_are_no_tls(void **state)
{
	fixture *f = *state;
	char bytes[8];
	char what[256];

	shake_hands(f);
	assert_int_equal(write(f->theirs, "+OK\r\n+OK\r\n+OK\r\n", 15), 15);
	assert_int_equal(rl_tls_read(f->tls, bytes, sizeof(bytes)), -1);
	assert_int_equal(errno, EPROTO);
	assert_true(rl_tls_explain(f->tls, what, sizeof(what)));
	assert_contains(what, "TLS");
}

/* A forked child frees its copy; the session of its parent must not notice. */
static void test_freeing_says_nothing(void **state)
{
	fixture *f = *state;
	struct pollfd descriptor = {.fd = f->theirs, .events = POLLIN};
	char bytes[8];

	shake_hands(f);
	while (SSL_read(f->server, bytes, sizeof(bytes)) > 0) {
	}
	ERR_clear_error();
	rl_tls_free(f->tls);
	f->tls = NULL;
	assert_int_equal(poll(&descriptor, 1, 0), 0);
}

/* The same while the handshake is half done. */
static void test_freeing_half_done(void **state)
{
	fixture *f = *state;
	char bytes[4096];

	assert_int_equal(rl_tls_handshake(f->tls), RL_TLS_WANTS_READ);
	while (read(f->theirs, bytes, sizeof(bytes)) > 0) {
	}
	rl_tls_free(f->tls);
	f->tls = NULL;
	assert_int_equal(read(f->theirs, bytes, sizeof(bytes)), -1);
	assert_int_equal(errno, EAGAIN);
}

/* Every beginning of an answer, cut or turned: whatever it does, it ends, and says something. */
static void test_any_bytes_in_the_handshake(void **state)
{
	fixture *f = *state;
	static const char *const answers[] = {
		"\x15\x03\x03\x00\x02\x02\x28", "\x15\x03\x03\x00\x02\x01\x00", "\x16\x03\x03\xff\xff\x02", "\x16\x03\x00\x00\x01\x02",
		"\x17\x03\x03\x00\x01x", "HTTP/1.1 400 Bad Request\r\n\r\n", "$-1\r\n$-1\r\n$-1\r\n", "\xff\xff\xff\xff\xff\xff\xff\xff"
	};
	static const size_t lengths[] = {7, 7, 6, 6, 6, 28, 15, 8};
	rl_error error;
	char what[256];

	for (int i = 0; i < COUNT(answers); i++) {
		int pair[2];
		rl_tls *tls;

		assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
		tls = rl_tls_start(pair[0], f->endpoint, &error);
		assert_non_null(tls);
		assert_int_equal(rl_tls_handshake(tls), RL_TLS_WANTS_READ);
		assert_int_equal(write(pair[1], answers[i], lengths[i]), (ssize_t) lengths[i]);
		close(pair[1]);
		assert_int_equal(rl_tls_handshake(tls), RL_TLS_FAILED);
		assert_true(rl_tls_explain(tls, what, sizeof(what)));
		assert_contains(what, "TLS");
		assert_contains_not(what, "s3cr3t");
		rl_tls_free(tls);
		close(pair[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_bytes_go_both_ways, begin, end),
		cmocka_unit_test_setup_teardown(test_no_sigpipe, begin, end),
		cmocka_unit_test_setup_teardown(test_no_sigpipe_in_the_handshake, begin, end),
		cmocka_unit_test_setup_teardown(test_errors_of_others_are_not_ours, begin, end),
		cmocka_unit_test_setup_teardown(test_leaves_no_error_behind, begin, end),
		cmocka_unit_test_setup_teardown(test_partial_writes, begin, end),
		cmocka_unit_test_setup_teardown(test_the_end_of_the_stream, begin, end),
		cmocka_unit_test_setup_teardown(test_the_server_says_goodbye, begin, end),
		cmocka_unit_test_setup_teardown(test_bytes_that_are_no_tls, begin, end),
		cmocka_unit_test_setup_teardown(test_freeing_says_nothing, begin, end),
		cmocka_unit_test_setup_teardown(test_freeing_half_done, begin, end),
		cmocka_unit_test_setup_teardown(test_any_bytes_in_the_handshake, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_it_says_that_it_is_missing(void **state)
{
	rl_error error;

	(void) state;
	assert_false(rl_tls_available());
	assert_null(rl_endpoint_parse("rediss://h", 10, &error));
	assert_contains(error.message, "OpenSSL");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_it_says_that_it_is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
