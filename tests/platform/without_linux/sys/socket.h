#define SOCK_CLOEXEC linux_SOCK_CLOEXEC
#define SOCK_NONBLOCK linux_SOCK_NONBLOCK
#define MSG_NOSIGNAL linux_MSG_NOSIGNAL
#define accept4 linux_accept4
#include_next <sys/socket.h>
#undef SOCK_CLOEXEC
#undef SOCK_NONBLOCK
#undef MSG_NOSIGNAL
#undef accept4
/* macOS has this one instead. Linux refuses it, as it may. */
#ifndef SO_NOSIGPIPE
# define SO_NOSIGPIPE 0x1022
#endif
