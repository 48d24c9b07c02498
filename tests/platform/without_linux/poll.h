#define ppoll linux_ppoll
#include_next <poll.h>
#undef ppoll
