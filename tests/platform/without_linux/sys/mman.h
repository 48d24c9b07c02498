#define memfd_create linux_memfd_create
#define MAP_POPULATE linux_MAP_POPULATE
#include_next <sys/mman.h>
#undef memfd_create
#undef MAP_POPULATE
