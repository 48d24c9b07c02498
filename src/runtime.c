#include "runtime.h"

#include "php_compat.h"

#include "zend_exceptions.h"

#include "core/rl_clock.h"
#include "core/rl_process.h"

static int64_t runtime_now(void *context)
{
	(void) context;
	return rl_clock_now();
}

static int64_t runtime_wall(void *context)
{
	(void) context;
	return rl_clock_wall();
}

static int runtime_process(void *context)
{
	(void) context;
	return rl_process_id();
}

static bool runtime_random(void *context, void *bytes, size_t length)
{
	(void) context;
	return php_random_bytes_silent(bytes, length) == SUCCESS;
}

/*
 * A fatal error ends PHP code with a jump over all that called it. Not over ours: a send that is under way needs its
 * release behind it, on its own connection. So the jump ends here, and goes on as what exit() is: nothing of the script
 * runs any more, and every function on the way returns.
 */
static void run_interrupt(void)
{
	zend_execute_data *frame = EG(current_execute_data);
	zend_vm_stack stack = EG(vm_stack);
	zval *top = EG(vm_stack_top);
	zval *end = EG(vm_stack_end);

	zend_try {
		if (zend_atomic_bool_load_ex(&EG(timed_out))) {
			zend_timeout();
		}
		if (zend_interrupt_function != NULL) {
			zend_interrupt_function(frame);
		}
	} zend_catch {
		EG(current_execute_data) = frame;
		EG(vm_stack) = stack;
		EG(vm_stack_top) = top;
		EG(vm_stack_end) = end;
		zend_clear_exception();
		zend_throw_unwind_exit();
	} zend_end_try();
}

/*
 * Runs what PHP itself would run between two opcodes: the handlers of pcntl, and the end of a script that ran too
 * long. Not while an exception is on its way: no PHP code can run then.
 */
static bool runtime_interrupted(void *context)
{
	(void) context;
	if (EG(exception) != NULL) {
		return false;
	}
	if (zend_atomic_bool_load_ex(&EG(vm_interrupt))) {
		zend_atomic_bool_store_ex(&EG(vm_interrupt), false);
		run_interrupt();
	}
	return EG(exception) != NULL;
}

const rl_runtime *php_redislock_runtime(void)
{
	if (REDISLOCK_G(pool) == NULL) {
		REDISLOCK_G(pool) = rl_pool_new();
		if (REDISLOCK_G(pool) == NULL) {
			zend_throw_exception(redislock_ce_exception, "out of memory", 0);
			return NULL;
		}
		rl_pool_count_in(REDISLOCK_G(pool), php_redislock_stats);
		REDISLOCK_G(runtime) = (rl_runtime) {
			.now = runtime_now,
			.wall = runtime_wall,
			.process = runtime_process,
			.random = runtime_random,
			.interrupted = runtime_interrupted,
			.transport = &rl_pool_transport,
			.connections = REDISLOCK_G(pool),
			.no_connecting_until = &REDISLOCK_G(no_connecting_until),
			.stats = php_redislock_stats
		};
	}
	return &REDISLOCK_G(runtime);
}

void php_redislock_runtime_end_request(void)
{
	if (REDISLOCK_G(pool) != NULL) {
		rl_pool_end_request(REDISLOCK_G(pool));
	}
}

void php_redislock_runtime_free(rl_pool *pool)
{
	rl_pool_free(pool);
}
