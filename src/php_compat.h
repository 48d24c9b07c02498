/* Every difference between the versions of PHP that are supported. */
#ifndef PHP_REDISLOCK_COMPAT_H
#define PHP_REDISLOCK_COMPAT_H

#include "php.h"

/* php_random_bytes_silent() */
#if PHP_VERSION_ID >= 80400
# include "ext/random/php_random_csprng.h"
#else
# include "ext/random/php_random.h"
#endif

#endif
