/* One schedule, from its seed to its end. */
#ifndef SCHEDULE_H
#define SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* Once, before the first schedule. */
void schedule_begin(void);

/* Runs it. NULL: all rules held; otherwise the one that was broken. */
const char *schedule_run(uint64_t seed, bool quorum, bool trace);

#endif
