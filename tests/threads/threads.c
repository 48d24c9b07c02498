/*
 * Threads that run PHP at the same time in one process, each with requests of its own, as a threaded web server does.
 *
 *   threads INI-FILE THREADS REQUESTS SCRIPT
 *
 * INI-FILE loads the extension. Each thread runs SCRIPT so many times, each time as a request. The script has
 *   thread_number(): int       which thread it is, from 0
 *   request_number(): int
 *   section_enter(int $fence): void    and section_leave(): only one thread may be between the two, and with a larger
 *                              fence than the one before. What does not hold is counted, and printed
 *   meet(): void               waits until every thread has come to it
 *   reached(): void            the script got as far as it should; a request that does not is a fault
 *
 * Ends with 0 if nothing was wrong.
 */
#include <sapi/embed/php_embed.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef ZTS
# error "This PHP has no threads"
#endif

static atomic_int inside;
static atomic_llong last_fence;
static atomic_int wrong;
static pthread_barrier_t barrier;
static const char *script;
static int requests;

static _Thread_local int this_thread;
static _Thread_local int this_request;
static _Thread_local bool has_reached;

static void complain(const char *what, long long number)
{
	atomic_fetch_add(&wrong, 1);
	printf("thread %d, request %d: %s (%lld)\n", this_thread, this_request, what, number);
	fflush(stdout);
}

ZEND_BEGIN_ARG_INFO_EX(no_arguments, 0, 0, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_INFO_EX(one_argument, 0, 0, 1)
	ZEND_ARG_TYPE_INFO(0, fence, IS_LONG, 0)
ZEND_END_ARG_INFO()

static PHP_FUNCTION(thread_number)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_LONG(this_thread);
}

static PHP_FUNCTION(request_number)
{
	ZEND_PARSE_PARAMETERS_NONE();
	RETURN_LONG(this_request);
}

static PHP_FUNCTION(section_enter)
{
	zend_long fence;
	long long before;

	ZEND_PARSE_PARAMETERS_START(1, 1)
		Z_PARAM_LONG(fence)
	ZEND_PARSE_PARAMETERS_END();
	if (atomic_fetch_add(&inside, 1) != 0) {
		complain("somebody else was inside", fence);
	}
	before = atomic_exchange(&last_fence, fence);
	if (before >= fence) {
		complain("the fence did not grow", before - fence);
	}
}

static PHP_FUNCTION(section_leave)
{
	ZEND_PARSE_PARAMETERS_NONE();
	atomic_fetch_sub(&inside, 1);
}

static PHP_FUNCTION(meet)
{
	ZEND_PARSE_PARAMETERS_NONE();
	pthread_barrier_wait(&barrier);
}

static PHP_FUNCTION(reached)
{
	ZEND_PARSE_PARAMETERS_NONE();
	has_reached = true;
}

static const zend_function_entry functions[] = {
	PHP_FE(thread_number, no_arguments)
	PHP_FE(request_number, no_arguments)
	PHP_FE(section_enter, one_argument)
	PHP_FE(section_leave, no_arguments)
	PHP_FE(meet, no_arguments)
	PHP_FE(reached, no_arguments)
	PHP_FE_END
};

static zend_module_entry threads_module = {
	STANDARD_MODULE_HEADER,
	"threads",
	functions,
	NULL, NULL, NULL, NULL, NULL,
	NO_VERSION_YET,
	STANDARD_MODULE_PROPERTIES
};

static int start_with_our_module(sapi_module_struct *sapi)
{
	return php_module_startup(sapi, &threads_module);
}

static void run_request(void)
{
	zend_file_handle file;

	if (php_request_startup() != SUCCESS) {
		complain("the request did not begin", 0);
		return;
	}
	has_reached = false;
	zend_first_try {
		zend_stream_init_filename(&file, script);
		php_execute_script(&file);
		zend_destroy_file_handle(&file);
	} zend_end_try();
	if (!has_reached) {
		complain("the script did not get to its end", 0);
	}
	php_request_shutdown(NULL);
}

static void *run_thread(void *number)
{
	this_thread = (int) (intptr_t) number;
	ts_resource(0);
	ZEND_TSRMLS_CACHE_UPDATE();
	for (this_request = 0; this_request < requests; this_request++) {
		run_request();
	}
	ts_free_thread();
	return NULL;
}

static size_t write_output(const char *text, size_t length)
{
	return fwrite(text, 1, length, stdout);
}

ZEND_TSRMLS_CACHE_DEFINE()

int main(int argc, char **argv)
{
	static char name[] = "threads";
	char *arguments[] = {name, NULL};
	pthread_t threads[64];
	int count;

	if (argc != 5 || (count = atoi(argv[2])) < 1 || count > 64 || (requests = atoi(argv[3])) < 1) {
		fprintf(stderr, "usage: threads INI-FILE THREADS REQUESTS SCRIPT\n");
		return 2;
	}
	script = argv[4];
	pthread_barrier_init(&barrier, NULL, (unsigned) count);
	php_embed_module.php_ini_path_override = argv[1];
	php_embed_module.startup = start_with_our_module;
	php_embed_module.ub_write = write_output;
	if (php_embed_init(1, arguments) != SUCCESS) {
		fprintf(stderr, "PHP did not start\n");
		return 2;
	}
	ZEND_TSRMLS_CACHE_UPDATE();
	for (int i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, run_thread, (void *) (intptr_t) i) != 0) {
			fprintf(stderr, "no more threads\n");
			return 2;
		}
	}
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
	}
	php_embed_shutdown();
	printf("%d threads, %d requests each: %d faults\n", count, requests, atomic_load(&wrong));
	return atomic_load(&wrong) == 0 ? 0 : 1;
}
