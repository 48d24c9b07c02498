/*
 * One TCP connection of a client to a node, seen from both ends: bytes on their way in both directions, in order, late
 * or lost, and what a kernel does when one end closes. Bytes are counted from the beginning of the stream.
 */
#ifndef WIRE_H
#define WIRE_H

#include "events.h"
#include "sim.h"

#include "rl_buffer.h"

enum {
	WIRE_MOST = 512,
	WIRE_OPERATIONS = 32
};

typedef enum wire_end {
	WIRE_OPEN,
	WIRE_FINISHED,    /* the other end said that it will send nothing more */
	WIRE_RESET        /* the other end does not know this connection any more, or the network cut it */
} wire_end;

/* Which bytes of a stream were sent by which operation of the client. */
typedef struct wire_part {
	size_t end;
	int operation;
} wire_part;

typedef struct wire_stream {
	rl_buffer bytes;        /* everything that was ever written */
	size_t arrived;         /* of them, at the other end */
	size_t taken;           /* read there */
	size_t limit;           /* no byte beyond this one will ever arrive */
	int64_t last;           /* when the last byte so far arrives: later ones cannot overtake it */
	wire_end end;           /* what the other end knows */
} wire_stream;

typedef struct wire {
	bool used;
	uint32_t generation;
	int client, node;
	bool connecting;
	bool refused;
	bool client_open;       /* the process has the descriptor */
	bool orphan;            /* a stopped process has a copy of it, so that closing tells the node nothing */
	bool server_open;       /* the node has it among its connections */
	bool room;              /* the client's kernel takes more bytes */
	wire_stream up, down;   /* up: to the node */
	wire_part parts[WIRE_OPERATIONS];
	int part_count;
	bool mixed;             /* which operation wrote what is not known any more */
	/* Planned for a command that is under way. */
	int strike;             /* profile_fault that hits the node as byte strike_at arrives; 0: none */
	size_t strike_at;
	int strike_phase;       /* 0: before the command is run, 1: before its answer leaves, 2: after */
	bool cut_reply;
	/* For the rules. */
	bool cut;               /* by the network or a crash: what is written on it may be lost */
	int64_t bad_until;      /* it is silent or slow so long */
	bool carries_block;     /* the last command on it is a BLPOP */
	/* At the node. */
	long client_number;     /* what CLIENT ID answers; 0: nobody has asked */
	bool blocked;
	uint32_t block;         /* counts its BLPOPs */
	char block_key[64];
	size_t block_key_length;
} wire;

extern wire wire_all[WIRE_MOST];

/* Between two schedules. */
void wire_clear(void);

/* The client's side. */
int wire_new(int client);
void wire_connect(wire *wire, int node);
/* Takes up to that many bytes; returns how many, 0: no room. */
size_t wire_write(wire *wire, const char *data, size_t length, int operation);
size_t wire_read(wire *wire, char *to, size_t size, bool peek);
void wire_hang_up(wire *wire);
void wire_close(wire *wire);
bool wire_can_read(const wire *wire);
int wire_number(const wire *wire);

/* The node's side. */
void wire_reply(wire *wire, const char *data, size_t length);
/* Closes: at once for the node, and after a while for the client. silent: the client hears nothing. */
void wire_end_by_server(wire *wire, wire_end how, bool silent);
/* The operation that wrote the byte before that one; -1: not known. */
int wire_operation(wire *wire, size_t end);

/* Events. */
void wire_event(const event *event);

/* The network between a client and a node carries nothing until then. */
void wire_partition(int client, int node, int64_t until);

/* How long one message takes. */
int64_t wire_delay(void);

#endif
