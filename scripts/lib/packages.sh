# Sourced by the scripts: installs what is missing, through apt.
# shellcheck shell=bash

: "${PHP_CONFIG:=php-config}"
: "${PHPIZE:=${PHP_CONFIG/php-config/phpize}}"

missing=()

# need PACKAGE COMMAND...: PACKAGE is missing if COMMAND fails.
need() {
	local package=$1
	shift
	"$@" >/dev/null 2>&1 || missing+=("$package")
}

need_to_build() {
	need gcc command -v "${CC:-cc}"
	need make command -v make
	need autoconf command -v autoconf
	need pkg-config command -v pkg-config
	need libhiredis-dev pkg-config --exists hiredis
	need libssl-dev pkg-config --exists openssl
	need php-dev command -v "$PHPIZE"
	need php-dev command -v "$PHP_CONFIG"
}

need_to_run() {
	need redis-server command -v "${TEST_REDIS_SERVER:-redis-server}"
	need php-sqlite3 php_has pdo_sqlite
}

need_to_test() {
	need_to_run
	need openssl command -v openssl
	need libcmocka-dev pkg-config --exists cmocka
	need git command -v git
	need php-parser test -d /usr/share/php/PhpParser
	need iproute2 has_program ip
	need iptables has_program iptables
	need libfaketime has_faketime
	need php-fpm has_fpm
	if [ -z "${quick:-}" ]; then
		need valgrind command -v valgrind
		need lcov command -v lcov
	fi
	need mandoc command -v mandoc
	need man-db command -v man
	need nutcracker has_program nutcracker
	need liblua5.1-0-dev pkg-config --exists lua5.1
}

# A user who is not root may not have the folder of the administrator's programs in the PATH.
has_program() { command -v "$1" || [ -x "/usr/sbin/$1" ]; }

# Both are what the tests look for; without them they would be skipped.
has_faketime() { ls /usr/lib/*/faketime/libfaketime.so.1; }
has_fpm() { has_program "php-fpm$("$PHP_CONFIG" --version | cut -d. -f1,2)"; }

# The php that belongs to PHP_CONFIG.
php_binary() { "$PHP_CONFIG" --php-binary; }

php_has() { [ -f "$("$PHP_CONFIG" --extension-dir)/$1.so" ] || grep -qix "$1" <<<"$("$(php_binary)" -n -m)"; }

# alone COMMAND...: apt gives up if somebody else is using it, and what runs beside us may want to install something too.
alone() {
	local status=0
	mkdir -p "$build_root"
	exec 7>"$build_root/apt.lock"
	flock 7
	"$@" 7>&- || status=$?
	exec 7>&-
	return $status
}

# Installs what need() found missing, or says what to install.
install_missing() {
	[ ${#missing[@]} -gt 0 ] || return 0
	local packages sudo=()
	mapfile -t packages < <(printf '%s\n' "${missing[@]}" | sort -u)
	missing=()
	if [ "$(id -u)" -ne 0 ]; then
		sudo=(sudo)
		command -v sudo >/dev/null || die "please install (as root): apt-get install ${packages[*]}"
	fi
	command -v apt-get >/dev/null || die "there is no apt-get here; please install what Debian calls: ${packages[*]}"
	say "installing ${packages[*]}"
	local log=$build_root/apt.log
	mkdir -p "$build_root"
	alone "${sudo[@]}" bash -s -- "${packages[@]}" >"$log" 2>&1 <<-'AS_ROOT' ||
		set -e
		# Debian starts a service as it installs it. Nobody asked for a Redis on port 6379.
		policy=/usr/sbin/policy-rc.d
		if [ ! -e "$policy" ]; then
			trap 'rm -f "$policy"' EXIT
			printf '#!/bin/sh\nexit 101\n' >"$policy"
			chmod +x "$policy"
		fi
		export DEBIAN_FRONTEND=noninteractive
		apt-get update -q </dev/null
		apt-get install -q -y --no-install-recommends "$@" </dev/null
	AS_ROOT
	{ tail -n 20 "$log" >&2; die "could not install: apt-get install ${packages[*]}"; }
}
