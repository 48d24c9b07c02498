#include "rl_process.h"

#include "rl_platform.h"

#include <stdatomic.h>
#include <stddef.h>

#ifdef __linux__
# include <sys/mman.h>
#endif

/*
 * The number, in a page that the kernel hands to every child empty (MADV_WIPEONFORK, see madvise(2)): no child, however
 * it was made, can read its parent's. NULL: there is no such page.
 */
static atomic_int *known;

void rl_process_begin(void)
{
#ifdef MADV_WIPEONFORK
	size_t size = (size_t) sysconf(_SC_PAGESIZE);
	void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED) {
		return;
	}
	if (madvise(page, size, MADV_WIPEONFORK) != 0) {
		munmap(page, size);
		return;
	}
	known = page;
#endif
}

void rl_process_end(void)
{
#ifdef MADV_WIPEONFORK
	if (known != NULL) {
		munmap(known, (size_t) sysconf(_SC_PAGESIZE));
		known = NULL;
	}
#endif
}

int rl_process_id(void)
{
	int id = known != NULL ? atomic_load_explicit(known, memory_order_relaxed) : 0;

	if (id == 0) {
		id = (int) getpid();
		if (known != NULL) {
			atomic_store_explicit(known, id, memory_order_relaxed);
		}
	}
	return id;
}
