# Sourced by scripts/demo: the servers it runs on. Each is ours alone: its files and its socket are in a temporary
# folder, it has no network, it knows no configuration of this machine, and it ends with us.
# shellcheck shell=bash
# shellcheck disable=SC2154 # dir, database and missing are set by those who source this

# A server may be in a folder that is not in the PATH of everybody.
PATH=$PATH:/usr/sbin

# Whoever uses PostgreSQL may have told its programs where his own server is.
unset "${!PG@}"

# Debian puts each version of PostgreSQL in a folder of its own, not in the PATH. The newest one will do.
postgres_folder() {
	local newest
	newest=$(printf '%s\n' /usr/lib/postgresql/*/bin/initdb | sort -V | tail -n 1)
	[ -x "$newest" ] || newest=$(command -v initdb) || return 1
	dirname "$(readlink -f "$newest")"
}

# The packages of $database.
need_database() {
	case $database in
		pgsql)
			need postgresql postgres_folder
			need php-pgsql php_has pdo_pgsql
			;;
		mysql)
			# The server without the service. mariadb-install-db needs a program of the second package.
			need mariadb-server-core command -v mariadbd
			need mariadb-client-core command -v my_print_defaults
			need php-mysql php_has pdo_mysql
			;;
	esac
}

# As install_missing. Debian makes services of PostgreSQL and Redis, which start at every boot, and nobody has asked for
# those.
install_without_services() {
	local packages=" ${missing[*]} " sudo=() service
	install_missing
	[ "$(id -u)" -eq 0 ] || sudo=(sudo)
	for service in postgresql redis-server; do
		[[ $packages == *" $service "* ]] || continue
		# shellcheck disable=SC2016 # the inner shell knows $1
		"${sudo[@]}" bash -c 'service "$1" stop; update-rc.d "$1" disable' - "$service" \
			>>"$build_root/apt.log" 2>&1 || true
		say "$service is installed; as a service it is off (to switch it on: systemctl enable --now $service)"
	done
}

# The PHP extensions that $database needs, in the order in which they must be loaded.
database_extensions() {
	case $database in
		sqlite) echo pdo pdo_sqlite ;;
		pgsql) echo pdo pdo_pgsql ;;
		mysql) echo mysqlnd pdo pdo_mysql ;;
	esac
}

# A path as it is written in a DSN of Redis.
encode() { sed 's/%/%25/g; s/?/%3F/g; s/#/%23/g; s/ /%20/g' <<<"$1"; }

# start_server NAME TEXT COMMAND...: returns when the server has TEXT in its log: it can be used then.
start_server() {
	local name=$1 text=$2 log=$dir/$1.log lines line pid
	shift 2
	: >"$log"
	# A process group of its own: an interrupt from the terminal must not end it before the workers.
	set -m
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	set +m
	# The log is a file, since somebody would have to empty a pipe for as long as the server runs. tail ends with its
	# reader or with the server, whichever is first.
	exec {lines}< <(exec tail -n +1 -f -s 0.1 --pid="$pid" "$log" 2>/dev/null)
	while IFS= read -r -t 30 -u "$lines" line; do
		[[ $line == *"$text"* ]] || continue
		exec {lines}<&-
		return 0
	done
	tail -n 20 "$log" >&2
	die "$name does not start"
}

# prepare NAME COMMAND...: shows what the command says only if it fails.
#
# An interrupt waits until it has finished, a second or so: initdb, when it is interrupted, leaves shared memory behind.
# So it is in the foreground, where the shell waits for it before it runs a trap, and in a session of its own, where the
# terminal does not reach it.
prepare() {
	local name=$1 log=$dir/$1.log
	shift
	setsid --wait "$@" >"$log" 2>&1 </dev/null || { tail -n 20 "$log" >&2; die "$name failed"; }
}

# Waits for it. Not with `wait`: if a signal came just as a child ended, bash may have lost it, and waits for ever.
is_gone() { timeout -s KILL 10 tail -f -s 0.05 --pid="$1" /dev/null 2>/dev/null; }

# Ends every server.
stop_servers() {
	local servers pid
	# Not from a variable of ours: the signal that ends us may have come before one was set. And not split into words by
	# the shell: it may have come while `read` has another IFS.
	mapfile -t servers < <(jobs -pr)
	for pid in "${servers[@]}"; do
		kill -TERM "$pid" 2>/dev/null || true
	done
	for pid in "${servers[@]}"; do
		# QUIT: to PostgreSQL it means "at once". Killed, it would leave shared memory behind.
		is_gone "$pid" || { kill -QUIT "$pid" && is_gone "$pid"; } || { kill -KILL "$pid" && is_gone "$pid"; } || true
	done
}

# start_redis SOCKET
start_redis() {
	start_server redis "ready to accept connections" \
		redis-server --port 0 --unixsocket "$1" --unixsocketperm 700 --save '' --appendonly no --dir "$dir"
}

# start_database FOLDER: makes FOLDER, with the socket of the server in it; if there is none, FOLDER is for files.
#
# The servers let in by peer authentication whoever is who we are, so there are no passwords. They do not force every
# commit to the disk: the demo ends workers, not the machine, and what they write is thrown away.
start_database() {
	local folder=$1 me as_server=()
	mkdir -m 700 "$folder"
	[ "$database" != sqlite ] || return 0
	me=$(id -un)
	# Neither server likes to be root.
	if [ "$(id -u)" -eq 0 ]; then
		as_server=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
		chown nobody:nogroup "$folder"
		chgrp nogroup "$dir"
		chmod 710 "$dir"
		"${as_server[@]}" test -x "$folder" || die "the user nobody cannot get into $dir: choose another TMPDIR"
	fi
	# In its folder: it might not be allowed to read the one we are in.
	as_server+=(env -C "$folder" HOME="$folder" TMPDIR="$folder" LC_ALL=C)
	"start_$database" "$folder" "$me" "${as_server[@]}"
}

start_pgsql() {
	local folder=$1 me=$2 bin
	shift 2
	bin=$(postgres_folder)
	prepare initdb "$@" "$bin/initdb" --pgdata="$folder/data" --username="$me" --auth-local=peer --auth-host=reject \
		--encoding=UTF8 --no-locale --no-sync
	start_server postgres "ready to accept connections" \
		"$@" "$bin/postgres" -D "$folder/data" -p 5432 -c listen_addresses= -c "unix_socket_directories=\"$folder\"" \
		-c unix_socket_permissions=0700 -c dynamic_shared_memory_type=mmap -c fsync=off
}

start_mysql() {
	local folder=$1 me=$2
	shift 2
	prepare mariadb-install-db "$@" mariadb-install-db --no-defaults --datadir="$folder/data" --skip-test-db \
		--auth-root-authentication-method=socket --auth-root-socket-user="$me"
	start_server mariadbd "ready for connections" \
		"$@" "$(command -v mariadbd)" --no-defaults --datadir="$folder/data" --tmpdir="$folder" \
		--socket="$folder/mysql.sock" --pid-file="$folder/mysql.pid" --skip-networking \
		--innodb-flush-log-at-trx-commit=0
}
