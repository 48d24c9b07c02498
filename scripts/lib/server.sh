# Sourced by scripts/test: one private redis-server for all tests that do not need one of their own.
# shellcheck shell=bash

server_pid=

# Starts it on a unix socket in $work and on a free TCP port of the loopback interface. Sets TEST_REDIS_SOCKET and
# TEST_REDIS_PORT for the tests.
start_server() {
	local try
	export TEST_REDIS_SOCKET=$work/redis.sock TEST_REDIS_PORT
	# A port that is free now may be taken a moment later, so more than one try.
	for try in 1 2 3 4 5; do
		TEST_REDIS_PORT=$(free_port)
		"${TEST_REDIS_SERVER:-redis-server}" --bind 127.0.0.1 --port "$TEST_REDIS_PORT" --unixsocket "$TEST_REDIS_SOCKET" --dir "$work" \
			--save '' --appendonly no --maxclients 2000 </dev/null >"$work/redis.log" 2>&1 &
		server_pid=$!
		wait_for_server && return 0
		stop_server
	done
	cat "$work/redis.log" >&2
	die "${TEST_REDIS_SERVER:-redis-server} did not start in $try tries"
}

free_port() { "$(php_binary)" -n -r '$s = stream_socket_server("tcp://127.0.0.1:0"); echo explode(":", stream_socket_get_name($s, false))[1];'; }

# True once it answers, false if it ended.
wait_for_server() {
	local end=$((SECONDS + 20))
	while [ $SECONDS -le $end ]; do
		[ "$(ask_server)" = PONG ] && return 0
		kill -0 "$server_pid" 2>/dev/null || return 1
	done
	return 1
}

# Not by redis-cli: where Valkey is, there may be none.
ask_server() {
	"$(php_binary)" -n -r '$s = @stream_socket_client($argv[1], $e, $t, 1) or exit; fwrite($s, "PING\r\n"); echo ltrim(rtrim(fgets($s)), "+");' \
		"unix://$TEST_REDIS_SOCKET" 2>/dev/null
}

stop_server() {
	[ -n "$server_pid" ] || return 0
	kill -KILL "$server_pid" 2>/dev/null || true
	wait "$server_pid" 2>/dev/null || true
	server_pid=
}
