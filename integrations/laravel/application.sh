# Sourced by what runs a Laravel application: the extensions, and the packages of Composer.
# shellcheck shell=bash

need_application() {
	need_to_build
	need composer command -v composer
	need unzip command -v unzip
	install_missing
	need php-mbstring php_has mbstring
	need php-xml php_has dom
	need php-sqlite3 php_has pdo_sqlite
	need php-pgsql php_has pdo_pgsql
}

# Sets the array laravel_php: PHP with the extension and with phpredis.
find_laravel_php() {
	local so name folder
	so=$("$root/scripts/build" default | tail -n 1)
	take_phpredis
	laravel_php=("$(php_binary)" -n)
	folder=$("$PHP_CONFIG" --extension-dir)
	# In this order: some need those before them.
	for name in ctype dom fileinfo iconv mbstring pcntl phar posix sockets tokenizer xml xmlwriter pdo pdo_sqlite pdo_pgsql; do
		[ ! -f "$folder/$name.so" ] || laravel_php+=(-d "extension=$name")
	done
	laravel_php+=(-d "extension=$build_root/laravel/ext/igbinary.so" -d "extension=$build_root/laravel/ext/redis.so")
	# A copy, so that somebody who builds meanwhile does not change it under our feet.
	cp "$so" "$work/redislock.so"
	laravel_php+=(-d "extension=$work/redislock.so" -d display_errors=stderr -d error_reporting=-1)
}

# phpredis as Debian has it. Its package is only unpacked: an extension that is installed is on everywhere.
take_phpredis() { alone fetch_phpredis; }

fetch_phpredis() {
	local version folder package ext=$build_root/laravel/ext
	[ ! -f "$ext/redis.so" ] || return 0
	version=$("$(php_binary)" -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
	mkdir -p "$ext"
	folder=$(mktemp -d "$build_root/laravel/ext.XXXXXX")
	(cd "$folder" && { apt-get download -q "php$version-redis" "php$version-igbinary" ||
		{ "${as_root[@]}" apt-get update -q && apt-get download -q "php$version-redis" "php$version-igbinary"; }; }) \
		>"$build_root/laravel/apt.log" 2>&1 || { tail -n 20 "$build_root/laravel/apt.log" >&2; die "cannot get phpredis"; }
	for package in "$folder"/*.deb; do dpkg-deb -x "$package" "$folder/unpacked"; done
	find "$folder/unpacked" -name igbinary.so -exec mv {} "$ext/" \;
	find "$folder/unpacked" -name redis.so -exec mv {} "$ext/" \;
	rm -rf "$folder"
}

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)

# make_application FROM TO [PACKAGE:VERSION...]: copies an application and installs its packages, once.
make_application() {
	local from=$1 to=$2 log wanted
	shift 2
	mkdir -p "$to"
	log=$to.log
	# Files that are not there any more must not be in the copy either.
	find "$to" -mindepth 1 -maxdepth 1 ! -name vendor ! -name installed ! -name composer.json -exec rm -rf {} +
	find "$from" -mindepth 1 -maxdepth 1 ! -name composer.json -exec cp -R {} "$to/" \;
	mkdir -p "$to/storage/framework/views" "$to/storage/framework/cache" "$to/storage/logs" "$to/bootstrap/cache"
	wanted=$(cat "$from/composer.json" "$root"/integrations/*/composer.json "$root/integrations/laravel/application.sh"; echo "$*"; "${laravel_php[0]}" -n -v)
	if [ "$(cat "$to/installed" 2>/dev/null)" != "$wanted" ]; then
		say "installing the packages of $from/composer.json${*:+ with $*}"
		rm -rf "$to/vendor" "$to/installed"
		cp "$from/composer.json" "$to/"
		# As docs/laravel.md says it.
		composer_in "$to" "$log" config repositories.redislock path "$root/integrations/*"
		composer_in "$to" "$log" require --no-update redislock/laravel:@dev redislock/pdo:@dev "$@"
		composer_in "$to" "$log" update
		printf '%s\n' "$wanted" >"$to/installed"
	fi
	# What a new application does after every change of its packages. It is how Laravel finds the service provider.
	(cd "$to" && "${laravel_php[@]}" artisan package:discover) >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "package:discover failed"; }
}

# Composer as the system has it, with its own settings: it needs more extensions than an application does.
composer_in() {
	local folder=$1 log=$2
	shift 2
	COMPOSER_ALLOW_SUPERUSER=1 COMPOSER_ROOT_VERSION=dev-main COMPOSER_MIRROR_PATH_REPOS=0 \
		run_child "$(php_binary)" -d "extension=$work/redislock.so" -d memory_limit=-1 "$(command -v composer)" \
		--working-dir="$folder" --no-interaction "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "composer $1 failed"; }
}
