#include_next <time.h>
#undef CLOCK_BOOTTIME
