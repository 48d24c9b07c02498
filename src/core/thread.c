/* dladdr() and RTLD_NODELETE: declared by glibc only if asked for. */
#ifndef _GNU_SOURCE
# define _GNU_SOURCE
#endif

#include "rl_thread.h"

#include <stdint.h>
#include <stdlib.h>
#ifdef _WIN32
# include <windows.h>
# include <process.h>
#else
# include <pthread.h>
# include <signal.h>
#endif
#ifdef __APPLE__
# include <dlfcn.h>
# include <stdatomic.h>
#endif

typedef struct start {
	void (*run)(void *argument);
	void *argument;
} start;

static start *make_start(void (*run)(void *argument), void *argument)
{
	start *made = malloc(sizeof(*made));

	if (made != NULL) {
		*made = (start) {.run = run, .argument = argument};
	}
	return made;
}

static void run_start(start *given)
{
	start begin = *given;

	free(given);
	begin.run(begin.argument);
}

#ifdef _WIN32

static unsigned __stdcall run_thread(void *given)
{
	run_start(given);
	return 0;
}

bool rl_thread_start(void (*run)(void *argument), void *argument)
{
	start *given = make_start(run, argument);
	HMODULE self;
	uintptr_t thread;

	if (given == NULL || !GetModuleHandleExA(
			GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN, (LPCSTR) run_thread, &self)) {
		free(given);
		return false;
	}
	thread = _beginthreadex(NULL, 0, run_thread, given, 0, NULL);
	if (thread == 0) {
		free(given);
		return false;
	}
	CloseHandle((HANDLE) thread);
	return true;
}

#else

/* config.m4 links with -z nodelete where the linker knows it. Apple's does not, so this module is opened once more. */
static bool stay_in_memory(void)
{
# ifdef __APPLE__
	static atomic_bool pinned;
	Dl_info self;

	if (!atomic_load(&pinned)) {
		if (dladdr((const void *) &stay_in_memory, &self) == 0 || dlopen(self.dli_fname, RTLD_LAZY | RTLD_NODELETE) == NULL) {
			return false;
		}
		atomic_store(&pinned, true);
	}
# endif
	return true;
}

static void *run_thread(void *given)
{
	run_start(given);
	return NULL;
}

bool rl_thread_start(void (*run)(void *argument), void *argument)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;
	bool started;
	start *given;

	if (!stay_in_memory() || pthread_attr_init(&attributes) != 0) {
		return false;
	}
	given = make_start(run, argument);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	/* The application's signals are for its own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = given != NULL && pthread_create(&thread, &attributes, run_thread, given) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	if (!started) {
		free(given);
	}
	return started;
}

#endif
