/*
 * Makes sure that the sanitizers see what happens in a library that PHP loads: built and loaded like the extension,
 * it must be stopped. CANARY is 1 for AddressSanitizer, 2 for UndefinedBehaviorSanitizer, 3 for LeakSanitizer.
 */
#include <limits.h>
#include <stdlib.h>

__attribute__((constructor)) static void do_wrong(void)
{
#if CANARY == 1
	volatile char *bytes = malloc(8);

	bytes[8] = 1;
	free((void *) bytes);
#elif CANARY == 2
	volatile int number = INT_MAX;

	number++;
#else
	static void *volatile last;

	last = malloc(1000);
	last = NULL;
#endif
}
