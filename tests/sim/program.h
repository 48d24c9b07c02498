/* What the simulated processes do: take the lock, hold it, renew it, hand it on, give it back, or forget to. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "process.h"

void program_begin(void);

/* A worker. */
void program_work(process *process);

/* The one who looks at the end whether everything still works, when every lease there can be is over. */
void program_look(process *process);

#endif
