/* What goes wrong, when, and for how long. */
#ifndef FAULTS_H
#define FAULTS_H

#include "wire.h"

void faults_begin(void);

/* A message is about to be carried: the kind of fault that hits it (profile_fault), 0: none. */
int faults_of_message(const wire *wire);

/* The last fault is over: from now on everything works. */
void faults_end(void);

/* A time that is long, compared to a message, a timeout or a lease. */
int64_t faults_long_time(void);

/* Until then nobody can expect that client to get on as usual. */
void faults_disturbed(int client, int64_t until);

/* The same for everybody. */
void faults_disturbed_all(int64_t until);

/* Since when everybody can be expected to get on, as far as the nodes are concerned. */
int64_t faults_calm_since(void);

#endif
