/* Which process this is. Asked several times in every call, because a forked child must not touch its parent's locks. */
#ifndef RL_PROCESS_H
#define RL_PROCESS_H

/*
 * Makes rl_process_id() cheap where the system can (Linux 4.14 and newer). Once, before there is a second thread;
 * rl_process_end() undoes it. Without it, or after it, rl_process_id() asks the system every time.
 */
void rl_process_begin(void);
void rl_process_end(void);

/* As getpid(). Also right in a child that was made without fork(), by clone() itself. */
int rl_process_id(void);

#endif
