/* One stack of its own for every simulated process, switched by hand, so that the core can be stopped at any call. */
#ifndef FIBER_H
#define FIBER_H

#include <stdbool.h>

typedef struct fiber fiber;

/* A stack that runs the function again and again: each time that it is entered after the function returned. */
fiber *fiber_new(void (*function)(void *context), void *context);

/* Runs it until it leaves, or its function returns. False: it returned. */
bool fiber_enter(fiber *entered);

/* From inside: back to who entered it. */
void fiber_leave(void);

#endif
