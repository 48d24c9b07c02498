/*
 * Waiting in the queue of a lock on one server, without polling: one BLPOP on the wake list for the whole wait keeps the
 * place, and about once a second a poke on a second connection renews the wait flag and finds a lock that became free
 * without a release.
 */
#ifndef RL_WAIT_H
#define RL_WAIT_H

#include "rl_call.h"
#include "rl_keys.h"

enum {
	/* How long the wait flag stays up after its last waiter was heard of. */
	RL_WAIT_FLAG_MS = 2500,
	/* "handoff:" and a fence */
	RL_RESERVATION_SIZE = 32
};

/* Why a wait is over, for now. */
typedef enum rl_wake {
	RL_WAKE_TRY,        /* try to acquire now, with the reservation if there is one; the place in the queue is kept */
	RL_WAKE_DEADLINE,   /* make the last try */
	RL_WAKE_STOPPED,    /* the interrupt hook said so */
	RL_WAKE_FAILED      /* call->error: the connection broke or the server refuses */
} rl_wake;

typedef struct rl_waiter {
	rl_call *call;
	const rl_keys *keys;
	rl_connection *blocked;        /* in BLPOP, or NULL */
	rl_connection *poker;          /* on its way, or a poke is unanswered; or NULL */
	bool poke_sent;
	bool poke_by_text;             /* the server did not know the script */
	int64_t poke_timeout;          /* when the poker is given up */
	int64_t last_poke;
	int64_t lease_end;             /* of the holder, as it was last seen; 0: not yet */
	int64_t next_poke;
	bool take_next;                /* the last poke met a reservation: try to acquire instead, as it ends */
	bool asks_id;                  /* the blocked connection answers CLIENT ID before BLPOP */
	bool sliced;                   /* no second connection can be had: block for a second at a time */
	bool polling;                  /* BLPOP is forbidden */
	int64_t pause_us;              /* between two tries, when polling */
	int process;                   /* whose place in the queue it is */
	char reservation[RL_RESERVATION_SIZE];
	size_t reservation_length;     /* 0: not woken */
} rl_waiter;

void rl_waiter_init(rl_waiter *waiter, rl_call *call, const rl_keys *keys);

/* Waits, after a try found the lock held. left_ms: of the holder's lease; -1: it has none. */
rl_wake rl_waiter_wait(rl_waiter *waiter, int64_t left_ms);

/*
 * Gives the place in the queue up, and waits a moment for the server to confirm it, so that no wake-up can come later.
 * True: one had come; the reservation is set.
 */
bool rl_waiter_step_out(rl_waiter *waiter);

/* The same on a server that has no room for a second connection: by closing the first one. */
bool rl_waiter_hang_up(rl_waiter *waiter);

/*
 * Leaves the queue. A wake-up that arrived meanwhile, or that was not used, is passed on to the next waiter, unless the
 * lock was acquired.
 */
void rl_waiter_leave(rl_waiter *waiter, bool acquired);

#endif
