/*
 * Asking all nodes of a quorum at once: one command to each, one wait for all of them, and an end as soon as the
 * outcome is certain. A node that is down, slow, or still being connected delays nobody.
 */
#ifndef RL_ROUND_H
#define RL_ROUND_H

#include "rl_call.h"
#include "rl_keys.h"

/* What a node was asked last. */
typedef enum rl_question {
	RL_ASK_FIRST,      /* the command of the operation */
	RL_ASK_RAISE       /* the raise of its fence */
} rl_question;

typedef enum rl_verdict {
	RL_VOTE_PENDING,
	RL_VOTE_YES,
	RL_VOTE_NO,        /* held by somebody else; not ours */
	RL_VOTE_NONE       /* no answer, an error, or it sits out: see the node's error */
} rl_verdict;

typedef enum rl_vote_state {
	RL_VOTE_CONNECTING,
	RL_VOTE_IDENTIFYING,   /* asked for the server's run_id */
	RL_VOTE_ASKED,
	RL_VOTE_IDLE,          /* answered */
	RL_VOTE_OUT            /* no connection */
} rl_vote_state;

typedef struct rl_vote {
	rl_connection *connection;
	rl_vote_state state;
	rl_question question;
	rl_form form;
	int64_t sent_at;       /* of the last command */
	unsigned script;       /* its bit in rl_connection_known_scripts() */
	bool asked;            /* the command of the operation was sent */
	bool twice;            /* also on another connection, see rl_round.undoes: its "not ours" says nothing */
	rl_verdict verdict;
	bool granted;          /* it said yes once, whatever came of it */
	int64_t fence;         /* that this node stores for us; 0: not known */
	int64_t raise;         /* to what it was asked to raise it last; 0: it was not */
	int64_t left_ms;       /* of the lease there */
} rl_vote;

typedef struct rl_round rl_round;

struct rl_round {
	rl_call *call;
	const rl_client *client;
	int count;
	int majority;
	rl_vote votes[RL_QUORUM_MAX_NODES];
	rl_node *nodes;
	bool identify;         /* the command needs the server's run_id */
	bool ask_all;          /* also nodes that failed a moment ago */
	bool undoes;           /* a release: it also goes behind what a connection that hangs has not answered */
	int64_t until;
	/* The operation. */
	void *operation;
	void (*build)(rl_round *round, int i, rl_question question, rl_command *command);
	/* An answer that is no error: sets verdict and whatever else it says. */
	void (*answer)(rl_round *round, int i, const rl_reply *reply);
	/* Whether nothing more needs to be waited for. May ask again. */
	bool (*decided)(rl_round *round);
};

/* A round of the call's client, with all else 0; the caller sets what is from `identify` on. */
void rl_round_init(rl_round *round, rl_call *call);

/* Asks, and waits until it is decided, or round->until. RL_OK, or RL_INTERRUPTED. */
rl_status rl_round_run(rl_round *round);

/* Sends one more command to a node that has answered. */
void rl_round_ask(rl_round *round, int i, rl_question question);

/* How many votes there are of that kind. */
int rl_round_votes(const rl_round *round, rl_verdict verdict);

/*
 * What a majority is left with: the lease that the majority-th best of the nodes that said yes still has, in ms.
 */
int64_t rl_round_left(const rl_round *round);

/* This node answered with something that counts as no answer. */
void rl_round_reject(rl_round *round, int i, const char *why);

/* This node sits out for that long. */
void rl_round_sits_out(rl_round *round, int i, int64_t left_ms);

/*
 * Ends the round: what is still unanswered is not waited for, and its reply is dropped when it comes. last builds a
 * command that node i gets behind what it was asked, and whose answer nobody waits for; false: none; NULL: none at all.
 */
void rl_round_end(rl_round *round, bool (*last)(rl_round *round, int i, rl_command *command));

/* Fills the call's error for "fewer than a majority answered". Returns RL_QUORUM. */
rl_status rl_round_fail(rl_round *round);

#endif
