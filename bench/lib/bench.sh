# Sourced by the benchmarks: the command line of PHP with the extension, and the libraries to compare with.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib/common.sh"
. "$root/scripts/lib/packages.sh"

peers_root=$root/bench/.peers

usage() { sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$1"; }

# find_php PEERS: sets the array php, the command line up to the script. PEERS: also prepare the other libraries.
find_php() {
	local so=${REDISLOCK_SO:-} name
	need_to_run
	need gcc command -v "${CC:-cc}"
	install_missing
	[ -n "$so" ] || so=$("$root/scripts/build" default | tail -n 1)
	php=("$(php_binary)" -n -d memory_limit=-1 -d "extension=$so")
	for name in posix shmop ctype mbstring tokenizer; do
		[ ! -f "$("$PHP_CONFIG" --extension-dir)/$name.so" ] || php+=(-d "extension=$name")
	done
	if [ -n "$1" ]; then
		prepare_peers || say "bench: some of the libraries to compare with are missing"
		if [ -f "$peers_root/ext/redis.so" ]; then
			php+=(-d "extension=$peers_root/ext/igbinary.so" -d "extension=$peers_root/ext/redis.so")
		fi
	fi
	# The helpers of the tests, which the benchmarks share, start PHP in the same way.
	printf -v TEST_PHP_EXTRA_ARGS ' %q' "${php[@]:1}"
	export TEST_PHP_EXTRA_ARGS
}

# Puts the other libraries into bench/.peers: nothing is installed in the system, and nothing is done if it is there.
prepare_peers() {
	mkdir -p "$peers_root"
	take_phpredis && take_packages
}

# phpredis as Debian has it. Its package is only unpacked.
take_phpredis() {
	local version folder
	[ ! -f "$peers_root/ext/redis.so" ] || return 0
	version=$("$(php_binary)" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
	folder=$(mktemp -d)
	(cd "$folder" && apt-get download -q "php$version-redis" "php$version-igbinary") >"$peers_root/apt.log" 2>&1 ||
		{ rm -rf "$folder"; return 1; }
	for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/unpacked"; done
	mkdir -p "$peers_root/ext"
	find "$folder/unpacked" -name '*.so' -exec mv {} "$peers_root/ext/" \;
	rm -rf "$folder"
}

take_packages() {
	local wanted=("symfony/lock:^7.2" "laravel/framework:^12.0" "predis/predis:*" "malkusch/lock:^3.0") package absent=
	need composer command -v composer
	install_missing
	[ -f "$peers_root/composer.json" ] || echo '{"config": {"platform-check": false}}' >"$peers_root/composer.json"
	for package in "${wanted[@]}"; do
		[ ! -d "$peers_root/vendor/${package%%:*}" ] || continue
		if [ "${package%%:*}" = malkusch/lock ] && [ -n "${PHP_LOCK:-}" ]; then
			in_peers config repositories.php-lock \
				'{"type": "path", "url": "'"$PHP_LOCK"'", "options": {"symlink": false, "versions": {"malkusch/lock": "3.0.0"}}}'
		fi
		in_peers require "$package" || absent=yes
	done
	take_cheprasov || absent=yes
	[ -z "$absent" ]
}

in_peers() {
	local options=(--no-interaction --working-dir="$peers_root")
	[ "$1" != require ] || options+=(--ignore-platform-reqs --no-progress --no-scripts --no-plugins)
	composer "${options[@]}" "$@" >>"$peers_root/composer.log" 2>&1
}

# Packagist does not have these two everywhere, and for those that it has not there is their repository.
take_cheprasov() {
	[ ! -d "$peers_root/vendor/cheprasov/php-redis-lock" ] || return 0
	if [ -n "${CHEPRASOV_LOCK:-}" ]; then
		in_peers config repositories.cheprasov-lock vcs "$CHEPRASOV_LOCK"
		in_peers config repositories.cheprasov-client vcs "${CHEPRASOV_CLIENT:?the checkout of cheprasov/php-redis-client}"
	fi
	in_peers require "cheprasov/php-redis-lock:*"
}

take_redlock_php() {
	[ ! -d "$peers_root/vendor/ronnylt/redlock-php" ] || return 0
	in_peers config repositories.redlock-php vcs "${REDLOCK_PHP:-https://github.com/ronnylt/redlock-php}"
	# The version that asks for phpredis 2.2 is the newest one there is.
	in_peers require ronnylt/redlock-php:dev-master
}
