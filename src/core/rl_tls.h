/*
 * TLS for a connection, by OpenSSL. Not by hiredis_ssl: that writes in a way that raises SIGPIPE when the server is
 * gone, trusts a stale error of somebody else's use of OpenSSL, and keeps a copy of the password.
 *
 * Compiled in where OpenSSL is found; otherwise rl_tls_available() is false and a rediss:// DSN is refused when it is
 * parsed.
 */
#ifndef RL_TLS_H
#define RL_TLS_H

#include "rl_endpoint.h"
#include "rl_platform.h"
#include "rl_status.h"

#include <stdbool.h>

typedef struct rl_tls rl_tls;

/* Whether this build can do TLS. */
bool rl_tls_available(void);

/* The version of OpenSSL that is in use, "" without TLS. */
const char *rl_tls_library(void);

/*
 * Prepares TLS on a connected, non-blocking socket; rl_tls_handshake() goes on with it, and nothing is sent before. The
 * caller keeps the socket and closes it after rl_tls_free(). The endpoint must outlive the result.
 * NULL: error says why (RL_CONNECTION, RL_SYSTEM), with the file that is the matter.
 */
rl_tls *rl_tls_start(int fd, const rl_endpoint *endpoint, rl_error *error);

typedef enum rl_tls_progress {
	RL_TLS_DONE,
	RL_TLS_WANTS_READ,
	RL_TLS_WANTS_WRITE,
	RL_TLS_FAILED        /* see rl_tls_explain() */
} rl_tls_progress;

/* Goes on with the handshake, as far as it gets without blocking. Before it is done nothing of ours is sent. */
rl_tls_progress rl_tls_handshake(rl_tls *tls);

/*
 * After the handshake: whether the server may still refuse us. With TLS 1.3 a client is done before the server has
 * looked at its certificate, so only the first bytes from the server tell whether it took it.
 */
bool rl_tls_may_be_refused(const rl_tls *tls);

/* Frees the state without a word on the wire: a forked child must not end its parent's session. NULL is allowed. */
void rl_tls_free(rl_tls *tls);

/*
 * As recv() and send(): a number of bytes, 0 at the end of the stream, -1 with errno; EAGAIN: not now. Bytes that
 * rl_tls_write() did not count are in no record that the server can read. After EAGAIN it must be called again with
 * the same bytes, more may follow them; they may lie elsewhere by then. EPROTO: see rl_tls_explain().
 */
ssize_t rl_tls_read(rl_tls *tls, char *to, size_t size);
ssize_t rl_tls_write(rl_tls *tls, const char *data, size_t length);

/*
 * What was wrong, such as a certificate that is not trusted, for people: text into what (size bytes).
 * False, and nothing written: TLS itself has not failed.
 */
bool rl_tls_explain(const rl_tls *tls, char *what, size_t size);

#endif
