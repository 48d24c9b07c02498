#include_next <netinet/tcp.h>
#undef TCP_KEEPIDLE
/* Its name on macOS; the number is Linux's. */
#define TCP_KEEPALIVE 4
