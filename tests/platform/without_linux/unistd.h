#define pipe2 linux_pipe2
#define gettid linux_gettid
#include_next <unistd.h>
#undef pipe2
#undef gettid
