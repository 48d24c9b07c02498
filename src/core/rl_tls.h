/*
 * TLS for a connection: hiredis_ssl does the I/O, OpenSSL the settings. hiredis_ssl checks the certificate's chain but
 * not its host name, so the name is set here, on the OpenSSL object.
 *
 * Compiled in where hiredis_ssl (hiredis 1.0 or newer) is found; otherwise rl_tls_available() is false and a rediss://
 * DSN is refused when it is parsed.
 */
#ifndef RL_TLS_H
#define RL_TLS_H

#include "rl_endpoint.h"
#include "rl_status.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct rl_tls rl_tls;

/* Whether this build can do TLS. */
bool rl_tls_available(void);

/*
 * Begins TLS on a connected, non-blocking socket; rl_tls_handshake() goes on with it. The caller keeps the socket and closes it after rl_tls_free(). NULL: error says why (RL_CONNECTION).
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

/* Frees the state without a word on the wire: a forked child must not end its parent's session. */
void rl_tls_free(rl_tls *tls);

/* As recv(): bytes, 0 at the end of the stream, -1 with errno; EAGAIN: nothing yet. */
ssize_t rl_tls_read(rl_tls *tls, char *to, size_t size);

/* As send(), but takes all of the data; what cannot be written at once is kept for rl_tls_flush(). */
ssize_t rl_tls_write(rl_tls *tls, const char *data, size_t length);

/* After a failure: what was wrong, such as a certificate that is not trusted. Writes text into what (size bytes). */
void rl_tls_explain(rl_tls *tls, char *what, size_t size);

/* Tries to write what rl_tls_write() took and could not write yet. False: the connection failed. */
bool rl_tls_flush(rl_tls *tls);

/* True while bytes wait to be written. */
bool rl_tls_is_pending(const rl_tls *tls);

#endif
