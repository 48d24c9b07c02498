# Sourced by the scripts of this folder: results, a private Redis, and cleaning up.
# shellcheck shell=bash

passed=0 failed=0 server=
pass() { passed=$((passed + 1)); }
fail() { failed=$((failed + 1)); printf 'FAIL %s\n' "$*"; }
finish() {
	printf '%s passed, %s failed\n' "$passed" "$failed"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
	exit
}

begin_work() {
	work=$(mktemp -d "${TMPDIR:-/tmp}/redislock-platform.XXXXXX")
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

clean_up() {
	trap - EXIT
	end_child
	[ -z "$server" ] || { kill -KILL "$server" && wait "$server"; } 2>/dev/null || true
	! declare -F also_clean_up >/dev/null || also_clean_up
	rm -rf "$work"
}

# compiles NAME COMMAND...: the command must succeed and say nothing.
compiles() {
	local name=$1 said
	shift
	if said=$("$@" 2>&1) && [ -z "$said" ]; then pass; else fail "$name"; printf '%s\n' "$said" | head -n 20; fi
}

free_port() { "$(php_binary)" -n -r '$s = stream_socket_server("tcp://127.0.0.1:0"); echo explode(":", stream_socket_get_name($s, false))[1];'; }

# Starts a Redis on $port of the loopback interface.
start_redis() {
	local try end
	for try in 1 2 3 4 5; do
		port=$(free_port)
		redis-server --bind 127.0.0.1 --port "$port" --save '' --appendonly no --dir "$work" </dev/null >"$work/redis.log" 2>&1 &
		server=$!
		end=$((SECONDS + 20))
		while [ $SECONDS -le $end ] && kill -0 "$server" 2>/dev/null; do
			[ "$(redis-cli -p "$port" PING 2>/dev/null)" != PONG ] || return 0
		done
		kill -KILL "$server" 2>/dev/null || true
		wait "$server" 2>/dev/null || true
		server=
	done
	cat "$work/redis.log" >&2
	die "redis-server did not start in $try tries"
}

# on_a_redis NAME COMMAND...: runs core.c, built as the command says, and takes over its results.
on_a_redis() {
	local name=$1 status=0 ran
	shift
	start_redis
	run_child timeout -k 5 300 "$@" "$port" "$(free_port)" "$(date +%s)" >"$work/core.log" 2>&1 || status=$?
	ran=$(tr -d '\r' <"$work/core.log" | sed -n 's/^\([0-9]*\) passed, 0 failed$/\1/p' | tail -n 1)
	if [ "$status" -eq 0 ] && [ -n "$ran" ]; then
		passed=$((passed + ran))
	else
		fail "$name: exit status $status"
		cat "$work/core.log"
	fi
}
