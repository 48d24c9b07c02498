#include "fiber.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#ifdef __SANITIZE_ADDRESS__
# include <sanitizer/common_interface_defs.h>
#endif

enum { STACK_SIZE = 512 * 1024 };

struct fiber {
	void (*function)(void *context);
	void *context;
	void *stack;
	bool begun;
	bool returned;
	ucontext_t start;
	jmp_buf place;
};

static fiber *running;

static void run(void);

fiber *fiber_new(void (*function)(void *context), void *context)
{
	fiber *made = calloc(1, sizeof(*made));
	void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (made == NULL || stack == MAP_FAILED || getcontext(&made->start) != 0) {
		fputs("tests/sim: no memory for a stack\n", stderr);
		abort();
	}
	made->function = function;
	made->context = context;
	made->stack = stack;
	made->start.uc_stack.ss_sp = stack;
	made->start.uc_stack.ss_size = STACK_SIZE;
	made->start.uc_link = NULL;
	makecontext(&made->start, run, 0);
	return made;
}

#ifdef __SANITIZE_ADDRESS__

/* The sanitizer follows a switch that it is told of, and needs the contexts that the C library knows. */
static ucontext_t outside;
static const void *outside_stack;
static size_t outside_size;

static void switch_in(void)
{
	void *fake = NULL;

	__sanitizer_start_switch_fiber(&fake, running->stack, STACK_SIZE);
	swapcontext(&outside, &running->start);
	__sanitizer_finish_switch_fiber(fake, NULL, NULL);
}

static void switch_out(void)
{
	fiber *left = running;
	void *fake = NULL;

	__sanitizer_start_switch_fiber(&fake, outside_stack, outside_size);
	swapcontext(&left->start, &outside);
	__sanitizer_finish_switch_fiber(fake, &outside_stack, &outside_size);
}

static void arrive(void)
{
	__sanitizer_finish_switch_fiber(NULL, &outside_stack, &outside_size);
}

#else

/*
 * swapcontext() asks the kernel for the signal mask at every switch, which costs more than all the rest; so it is used
 * to get on a new stack only.
 */
static jmp_buf outside;

static void switch_in(void)
{
	if (_setjmp(outside) == 0) {
		if (running->begun) {
			_longjmp(running->place, 1);
		}
		running->begun = true;
		setcontext(&running->start);
	}
}

static void switch_out(void)
{
	if (_setjmp(running->place) == 0) {
		_longjmp(outside, 1);
	}
}

static void arrive(void)
{
}

#endif

static void run(void)
{
	arrive();
	for (;;) {
		running->function(running->context);
		running->returned = true;
		switch_out();
	}
}

bool fiber_enter(fiber *entered)
{
	running = entered;
	running->returned = false;
	switch_in();
	running = NULL;
	return !entered->returned;
}

void fiber_leave(void)
{
	switch_out();
}
