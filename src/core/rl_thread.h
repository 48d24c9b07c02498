/*
 * Threads that nobody waits for. C11 has threads, but the C compilers of PHP for Windows and of macOS do not.
 */
#ifndef RL_THREAD_H
#define RL_THREAD_H

#include <stdbool.h>

/*
 * Runs a function in a thread of its own, which no signal of the application interrupts. It ends by itself, maybe after
 * PHP has unloaded this extension: the code stays in memory until the process ends. False: there is no thread.
 */
bool rl_thread_start(void (*run)(void *argument), void *argument);

#endif
