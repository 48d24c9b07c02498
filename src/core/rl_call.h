/*
 * One public call on one server: its time budget, and sending a command and getting its answer within it.
 *
 * A call ends within its wait plus two command timeouts, whatever the server does, so that there is always time for one
 * send and one repeat.
 */
#ifndef RL_CALL_H
#define RL_CALL_H

#include "rl_runtime.h"

enum { RL_QUORUM_MAX_NODES = 31 };

/* One server of a quorum. */
typedef struct rl_node {
	rl_endpoint *endpoint;
	int64_t down_until;        /* it failed: not asked before then, if there are others */
	int64_t backoff_us;        /* the last time it was left alone */
	bool owes;                 /* it was asked, and the answer was not waited for: it is not left alone */
	rl_error error;            /* of the last call, RL_OK: it answered */
} rl_node;

/* Where the locks live. */
typedef struct rl_client {
	const rl_runtime *runtime;
	rl_endpoint *endpoint;     /* the server, or the first node */
	rl_node *nodes;            /* of a quorum; NULL: one server */
	int node_count;
	int64_t quorum_max_ttl_ms;
	rl_slice prefix;
	int64_t connect_timeout_us;
	int64_t timeout_us;
	int64_t retry_for_us;      /* how long failures are retried within a wait */
	int64_t retention_ms;      /* of a fence nobody uses */
} rl_client;

typedef struct rl_call {
	const rl_client *client;
	const rl_runtime *runtime;
	int process;
	int64_t started;
	/* That of the first send, as long as nothing was waited for: a lease counted from before it errs on the safe side. */
	int64_t send_moment;
	int64_t wait_until;
	int64_t end;               /* of the whole budget */
	int64_t failing_since;     /* 0: the last exchange was answered */
	int64_t pause_us;          /* the last pause between two tries */
	bool fresh;                /* the last connection failed: do not take an idle one */
	bool reused;               /* the last exchange was on a connection from an earlier call */
	bool in_passing;           /* nobody waits for the answer, so nothing must take long */
	bool reconnected;          /* such a connection has failed once already */
	bool interruptible;        /* whether code of the application may run meanwhile */
	bool stopped;              /* it said that the call must end */
	bool forked;               /* it forked, and this is the child; process is the child's */
	rl_error *error;
} rl_call;

/* What became of one send. */
typedef enum rl_outcome {
	RL_ANSWERED,       /* reply and connection are valid; the connection must be given back or dropped */
	RL_REFUSED,        /* the server answered with an error, or with no reply at all; see call->error */
	RL_UNSENT,         /* nothing can have been run; see call->error */
	RL_UNANSWERED,     /* the server may have run it, or may still; connection as below; see call->error */
	RL_STOPPED         /* the interrupt hook said so; connection as below */
} rl_outcome;

typedef struct rl_exchange {
	rl_outcome outcome;
	const rl_reply *reply;
	/*
	 * RL_UNANSWERED and RL_STOPPED: a connection that still lives and on which the command is under way, to be parked
	 * or dropped; or NULL.
	 */
	rl_connection *connection;
	int64_t sent_at;           /* a moment before the first byte was written */
	int64_t answered_at;       /* RL_ANSWERED: a moment after the reply was read */
	bool maybe_run;            /* RL_REFUSED, RL_STOPPED: the command may have been run all the same */
} rl_exchange;

/* Begins a call. moment: now. wait_us: how long it may wait while somebody else holds the lock. */
void rl_call_begin(rl_call *call, const rl_client *client, int64_t moment, int64_t wait_us, rl_error *error);

/*
 * Writes a command whose answer nobody waits for, as text. False: there is no connection for it, or the server could not
 * be reached just before (call->error).
 */
bool rl_call_write(rl_call *call, const rl_command *command);

/*
 * A connection that is logged in, by that moment and within the connect timeout; the caller gives it back or drops it.
 * NULL: exchange->outcome says why not, as in rl_call_exchange().
 */
rl_connection *rl_call_take(rl_call *call, int64_t until, rl_exchange *exchange);

/* From now on failures are being retried, on new connections. */
void rl_call_note_failure(rl_call *call);

/* Sends a command on a connection and waits for its answer. NOSCRIPT is dealt with. */
void rl_call_exchange(rl_call *call, const rl_command *command, rl_exchange *exchange);

/*
 * After RL_STOPPED: waits for the answer all the same, as long as the command's own time lasts, without calling the
 * interrupt hook. True: exchange->reply is there, and may be an error.
 */
bool rl_call_await(rl_call *call, rl_exchange *exchange);

/* Gives the connection of an answered exchange back. */
void rl_call_finish(rl_call *call, rl_exchange *exchange);

/* Like rl_call_finish(), when the reply has a shape that no script of ours has. Fills call->error, returns RL_SERVER. */
rl_status rl_call_reject(rl_call *call, rl_exchange *exchange);

/*
 * After RL_REFUSED or RL_UNSENT: whether to try again, having paused. False: the call must end; *status says how,
 * which is RL_INTERRUPTED or the status of call->error.
 */
bool rl_call_retry(rl_call *call, rl_status *status);

/*
 * After RL_UNANSWERED: whether to send again, having paused from the second time on; counts it in *repeats. False:
 * there is no time, or call->stopped.
 */
bool rl_call_repeat(rl_call *call, int *repeats);

/* Lets code of the application run. True: the call must end now. Afterwards this may be a forked child. */
bool rl_call_interrupt(rl_call *call);

/* Sleeps until that moment. False: the interrupt hook said to stop. */
bool rl_call_sleep(rl_call *call, int64_t until);

/* A random moment from now on: pauses grow from try to try, apart for different clients. */
int64_t rl_call_backoff(rl_call *call);

#endif
