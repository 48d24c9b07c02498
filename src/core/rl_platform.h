/*
 * What Windows has under another name, or not at all. What it does differently is in one file each: socket_windows.c,
 * and the parts of clock.c and thread.c that are for it. macOS and BSD lack a few flags of Linux; where one is used,
 * an #ifdef of its own name stands around it.
 */
#ifndef RL_PLATFORM_H
#define RL_PLATFORM_H

#ifdef _WIN32
# include <basetsd.h>
# include <process.h>
# include <sys/types.h>
# ifdef _MSC_VER
typedef SSIZE_T ssize_t;
typedef int pid_t;
#  define getpid _getpid
# endif
#else
# include <sys/types.h>
# include <unistd.h>
#endif

/* The compiler checks the arguments of such a function against its format. */
#if defined(__MINGW32__)
# define RL_PRINTF(format_argument, first_argument) __attribute__((format(gnu_printf, format_argument, first_argument)))
#elif defined(__GNUC__)
# define RL_PRINTF(format_argument, first_argument) __attribute__((format(printf, format_argument, first_argument)))
#else
# define RL_PRINTF(format_argument, first_argument)
#endif

#endif
