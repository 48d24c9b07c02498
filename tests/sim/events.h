/* What is going to happen, in the order of time; what is due at the same moment happens in the order it was planned. */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum event_kind {
	EVENT_WAKE,             /* client goes on */
	EVENT_SIGNAL,           /* client gets a signal */
	EVENT_SYN,              /* wire: the connect arrives at the node */
	EVENT_CONNECTED,        /* wire: the client hears of it */
	EVENT_REFUSED,
	EVENT_UP,               /* wire: bytes up to `value` arrive at the node */
	EVENT_UP_END,           /* wire: the client's end of the stream arrives there; value: reset */
	EVENT_DOWN,             /* wire: bytes up to `value` arrive at the client */
	EVENT_DOWN_END,
	EVENT_ROOM,             /* wire: the client can write again */
	EVENT_BLOCK_OVER,       /* wire: the node's own limit of a BLPOP */
	EVENT_GOES_ON,          /* node: it no longer hangs */
	EVENT_RESTARTS,         /* node */
	EVENT_DRAINED,          /* node: it has memory to spare again */
	EVENT_WAKE_UP_DUE       /* the lock was freed for a waiter: somebody must have it by now */
} event_kind;

typedef struct event {
	int64_t time;
	uint32_t order;
	event_kind kind;
	int subject;            /* number of the client, wire or node */
	uint32_t generation;    /* of the subject: an event for one that is gone is dropped */
	int64_t value;
} event;

void events_clear(void);

/* Plans an event. One that is never to happen (SIM_NEVER) is not planned. */
void events_add(int64_t time, event_kind kind, int subject, uint32_t generation, int64_t value);

/* Takes the next one. False: there is none. */
bool events_take(event *next);

#endif
