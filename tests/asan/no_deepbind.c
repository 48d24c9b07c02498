/*
 * Makes AddressSanitizer work with a PHP that was built without it.
 *
 * PHP loads extensions with RTLD_DEEPBIND, and the sanitizer refuses a library that is loaded in this way: its malloc
 * would be the one of libc. This library is preloaded, and takes the flag away before the sanitizer sees it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>

void *dlopen(const char *file, int mode)
{
	void *(*next)(const char *, int) = (void *(*)(const char *, int)) dlsym(RTLD_NEXT, "dlopen");

	return next(file, mode & ~RTLD_DEEPBIND);
}
