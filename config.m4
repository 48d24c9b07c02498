PHP_ARG_ENABLE([redislock],
  [whether to enable redislock support],
  [AS_HELP_STRING([--enable-redislock], [Enable redislock: distributed locks on Redis and Valkey])],
  [yes])

PHP_ARG_WITH([redislock-tls],
  [whether redislock can use TLS],
  [AS_HELP_STRING([--with-redislock-tls], [redislock: rediss:// through OpenSSL (default: if it is found)])],
  [auto],
  [no])

PHP_ARG_ENABLE([redislock-dev],
  [whether to treat warnings in redislock as errors],
  [AS_HELP_STRING([--enable-redislock-dev], [redislock: developer build, -Wall -Wextra -Werror])],
  [no],
  [no])

PHP_ARG_ENABLE([redislock-sanitizers],
  [whether to build redislock with AddressSanitizer and UBSan],
  [AS_HELP_STRING([--enable-redislock-sanitizers], [redislock: developer build with ASan and UBSan])],
  [no],
  [no])

PHP_ARG_ENABLE([redislock-coverage],
  [whether to build redislock for a coverage report],
  [AS_HELP_STRING([--enable-redislock-coverage], [redislock: developer build with --coverage])],
  [no],
  [no])

if test "$PHP_REDISLOCK" != "no"; then
  AC_PATH_PROG([PKG_CONFIG], [pkg-config], [no])

  AC_MSG_CHECKING([for hiredis])
  if test "$PKG_CONFIG" != "no" && "$PKG_CONFIG" --exists hiredis; then
    redislock_hiredis_version=`"$PKG_CONFIG" --modversion hiredis`
    AC_MSG_RESULT([$redislock_hiredis_version])
    if ! "$PKG_CONFIG" --atleast-version=0.14 hiredis; then
      AC_MSG_ERROR([redislock needs hiredis 0.14 or newer])
    fi
    dnl pkg-config names .../include/hiredis; our sources say <hiredis/...>, which is right with and without it.
    redislock_hiredis_libs=`"$PKG_CONFIG" --libs hiredis`
    redislock_hiredis_include=`"$PKG_CONFIG" --variable=includedir hiredis`
    PHP_ADD_INCLUDE([$redislock_hiredis_include])
    PHP_EVAL_LIBLINE([$redislock_hiredis_libs], [REDISLOCK_SHARED_LIBADD])
  else
    AC_MSG_RESULT([not through pkg-config])
    redislock_hiredis_version=unknown
    AC_CHECK_HEADER([hiredis/hiredis.h], [],
      [AC_MSG_ERROR([hiredis is missing: install libhiredis-dev (Debian, Ubuntu), hiredis-dev (Alpine) or hiredis-devel (Fedora)])])
    PHP_ADD_LIBRARY([hiredis], [1], [REDISLOCK_SHARED_LIBADD])
  fi

  redislock_tls=no
  if test "$PHP_REDISLOCK_TLS" != "no"; then
    AC_MSG_CHECKING([for OpenSSL 1.1.1 or newer])
    if test "$PKG_CONFIG" != "no" && "$PKG_CONFIG" --exists 'openssl >= 1.1.1'; then
      AC_MSG_RESULT([yes])
      PHP_EVAL_LIBLINE([`"$PKG_CONFIG" --libs openssl`], [REDISLOCK_SHARED_LIBADD])
      PHP_EVAL_INCLINE([`"$PKG_CONFIG" --cflags openssl`])
      redislock_tls=yes
    else
      AC_MSG_RESULT([no])
      if test "$PHP_REDISLOCK_TLS" = "yes"; then
        AC_MSG_ERROR([--with-redislock-tls needs OpenSSL 1.1.1 or newer with its development files, and pkg-config: install libssl-dev (Debian, Ubuntu) or openssl-dev (Alpine)])
      fi
    fi
  fi

  redislock_cflags="-std=gnu11 -fvisibility=hidden -DZEND_ENABLE_STATIC_TSRMLS_CACHE=1"
  dnl Not through config.h: the core does not know it.
  if test "$redislock_tls" = "yes"; then
    redislock_cflags="$redislock_cflags -DREDISLOCK_TLS=1"
  fi
  if test "$PHP_REDISLOCK_DEV" != "no"; then
    redislock_cflags="$redislock_cflags -Wall -Wextra -Werror -Wno-unused-parameter"
  fi
  if test "$PHP_REDISLOCK_SANITIZERS" != "no"; then
    redislock_cflags="$redislock_cflags -fsanitize=address,undefined -fno-omit-frame-pointer -g -O1"
    LDFLAGS="$LDFLAGS -fsanitize=address,undefined"
  fi
  if test "$PHP_REDISLOCK_COVERAGE" != "no"; then
    redislock_cflags="$redislock_cflags --coverage -O0"
    LDFLAGS="$LDFLAGS --coverage"
  fi

  dnl A thread that looks up a host name can outlive the request that asked: the code it runs must stay.
  redislock_save_ldflags=$LDFLAGS
  LDFLAGS="$LDFLAGS -Wl,-z,nodelete"
  AC_MSG_CHECKING([whether the linker knows -z nodelete])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no]); LDFLAGS=$redislock_save_ldflags])
  PHP_ADD_LIBRARY([pthread], [1], [REDISLOCK_SHARED_LIBADD])
  PHP_ADD_LIBRARY([m], [1], [REDISLOCK_SHARED_LIBADD])

  redislock_sources="\
    src/arguments.c \
    src/client.c \
    src/exceptions.c \
    src/lock.c \
    src/lock_object.c \
    src/metrics.c \
    src/redislock.c \
    src/runtime.c \
    src/servers.c \
    src/settings.c \
    src/core/abandon.c \
    src/core/account.c \
    src/core/acquire.c \
    src/core/buffer.c \
    src/core/call.c \
    src/core/clock.c \
    src/core/command.c \
    src/core/connecting.c \
    src/core/connection.c \
    src/core/connection_io.c \
    src/core/dsn.c \
    src/core/endpoint.c \
    src/core/inspect.c \
    src/core/keys.c \
    src/core/lock.c \
    src/core/operation.c \
    src/core/pool.c \
    src/core/process.c \
    src/core/quorum.c \
    src/core/quorum_acquire.c \
    src/core/reply.c \
    src/core/resolver.c \
    src/core/round.c \
    src/core/socket.c \
    src/core/socket_posix.c \
    src/core/socket_windows.c \
    src/core/stats.c \
    src/core/status.c \
    src/core/thread.c \
    src/core/tls.c \
    src/core/wait.c \
    src/core/wait_place.c \
    src/core/wait_poke.c"

  PHP_NEW_EXTENSION([redislock], [$redislock_sources], [$ext_shared],, [$redislock_cflags])
  PHP_ADD_BUILD_DIR([$ext_builddir/src])
  PHP_ADD_BUILD_DIR([$ext_builddir/src/core])
  PHP_SUBST([REDISLOCK_SHARED_LIBADD])
  PHP_ADD_EXTENSION_DEP([redislock], [random])

  AC_MSG_NOTICE([redislock: hiredis $redislock_hiredis_version, TLS $redislock_tls])
fi
