/*
 * Threads that nobody waits for, and numbers that they share. C11 has both, but the C compiler of PHP for Windows does
 * not.
 */
#ifndef RL_THREAD_H
#define RL_THREAD_H

#include <stdbool.h>
#ifdef _WIN32
/* In this order: windows.h alone would bring the sockets of before. */
# include <winsock2.h>
# include <windows.h>
#else
# include <stdatomic.h>
#endif

/*
 * Runs a function in a thread of its own, which no signal of the application interrupts. It ends by itself, maybe after
 * PHP has unloaded this extension: the code stays in memory until the process ends. False: there is no thread.
 */
bool rl_thread_start(void (*run)(void *argument), void *argument);

/* A number; what a thread wrote before it changed the number is there for who sees the change. Zero to begin with. */
#ifdef _WIN32

typedef struct rl_atomic {
	volatile LONG value;
} rl_atomic;

static inline int rl_atomic_get(rl_atomic *atomic)
{
	return (int) InterlockedCompareExchange(&atomic->value, 0, 0);
}

/* Sets it; returns what it was. */
static inline int rl_atomic_exchange(rl_atomic *atomic, int value)
{
	return (int) InterlockedExchange(&atomic->value, value);
}

/* Adds to it; returns what it was. */
static inline int rl_atomic_add(rl_atomic *atomic, int by)
{
	return (int) InterlockedExchangeAdd(&atomic->value, by);
}

#else

typedef struct rl_atomic {
	atomic_int value;
} rl_atomic;

static inline int rl_atomic_get(rl_atomic *atomic)
{
	return atomic_load(&atomic->value);
}

/* Sets it; returns what it was. */
static inline int rl_atomic_exchange(rl_atomic *atomic, int value)
{
	return atomic_exchange(&atomic->value, value);
}

/* Adds to it; returns what it was. */
static inline int rl_atomic_add(rl_atomic *atomic, int by)
{
	return atomic_fetch_add(&atomic->value, by);
}

#endif

#endif
