# Sourced by scripts/test: the programs that test for minutes. Each counts as one test, and says more in its own output.
# shellcheck shell=bash

# program NAME COMMAND...: one test, which passes if COMMAND ends with 0; what it printed last is shown. 77 means that it
# cannot run here, and its last line says why. Between at_once and the end of at_once it only takes its place in the row.
program() {
	local name=$1
	shift
	wanted "$name" || return 0
	row_names+=("$name")
	printf '%s\0' "$@" >"$work/program-$((${#row_names[@]} - 1)).command"
	[ -n "$row_waits" ] || run_row 1
}

# at_once MOST COMMAND...: the programs that COMMAND names run beside each other, so many at once. For those that mostly
# wait and share nothing. Their results come one after the other, in the order in which they were named.
at_once() {
	local most=$1
	shift
	row_waits=yes
	"$@"
	row_waits=
	run_row "$most"
}

row_names=() row_waits=

run_row() {
	local most=$1 number
	[ ${#row_names[@]} -gt 0 ] || return 0
	run_child side_by_side "$most" run_program "${!row_names[@]}"
	for number in "${!row_names[@]}"; do
		take_program "${row_names[number]}" "$work/program-$number"
	done
	rm -f "$work"/program-*
	row_names=()
}

run_program() {
	local file=$work/program-$1 words
	mapfile -d '' -t words <"$file.command"
	recorded "$file" "${words[@]}"
}

take_program() {
	local name=$1 file=$2 lines=3 status seconds
	read -r status seconds <"$file.status"
	if [ "$status" -eq 0 ]; then
		pass "$name"
	elif [ "$status" -eq 77 ]; then
		skip "$name" "$(tail -n 1 "$file.log")"
	else
		fail "$name" "exit status $status"
		lines=60
	fi
	printf '   %s, %s s\n' "$name" "$seconds"
	tail -n $lines "$file.log" | cut -c1-240 | sed 's/^/       /'
}

# The sanitizers do not see memory that is used and was never written.
run_valgrind() { program "valgrind: random rounds" env PHP="$(php_binary)" "$root/tests/faults/under_valgrind" "$so"; }

run_fuzzers() { program "fuzz" "$root/tests/fuzz/build-and-run" 20; }

# A million schedules, and the proof that broken code does not pass them.
run_simulation() {
	if [ -n "${quick:-}" ]; then
		program "sim: the core as it is" "$root/tests/sim/run" --schedules=20000 --jobs="$(nproc)"
		return
	fi
	program "sim: the core as it is" "$root/tests/sim/run" --schedules=1000000 --jobs="$(nproc)"
	program "sim: mutations are caught" "$root/tests/sim/mutations"
}

# What people install with Composer, each package with tests of its own. They wait for downloads, workers and databases.
run_integrations() { at_once $(($(nproc) * 2)) name_integrations; }

name_integrations() {
	local version
	for version in 11 12 13; do
		# Laravel 13 needs a newer PHP than Debian 12 has.
		[ "$version" -lt 13 ] || [ "$("$PHP_CONFIG" --vernum)" -ge 80300 ] || continue
		program "integrations/laravel, Laravel $version" "$root/integrations/laravel/test" "$version"
	done
	program "integrations/symfony" "$root/integrations/symfony/test"
	program "integrations/pdo" "$root/integrations/pdo/test"
	program "examples/laravel-job" "$root/examples/laravel-job/run"
	program "integrations/symfony: PHPStan" "$root/integrations/symfony/analyse"
	program "examples/symfony-job" "$root/examples/symfony-job/run"
}

# Without the guard the torture test must find lost updates, or it could not find any with it. Leases and faults take their
# time, so the workers of all four leave the processors idle.
run_chaos() { at_once 4 name_chaos; }

name_chaos() {
	program "chaos: pgsql" "$root/tests/chaos/run" --database=pgsql --seconds=60 --seed=1
	program "chaos: mysql" "$root/tests/chaos/run" --database=mysql --seconds=20 --seed=2
	program "chaos: sqlite" "$root/tests/chaos/run" --database=sqlite --seconds=20 --seed=3
	program "chaos: without the guard" "$root/tests/chaos/run" --database=pgsql --seconds=20 --seed=4 --without-guard
}

run_demos() { at_once "$(nproc)" name_demos; }

name_demos() {
	local database
	program "examples/transfers.csv is what its generator makes" "$(php_binary)" "$root/examples/transfers/generate.php" --check
	for database in sqlite pgsql mysql; do
		program "demo: $database" "$root/scripts/demo" --database=$database
		program "demo: late writes are refused, $database" "$root/scripts/demo" --tests --database=$database
	done
}

# Whether every scene still runs; what it measures on a machine that is busy with tests says nothing.
run_benchmarks() {
	mkdir -p "$work/bench"
	program "bench: every scene runs" env REDISLOCK_SO="$so" "$root/bench/run" --runs=1 --soak=2 --no-peers --into="$work/bench"
	program "bench: the counters" env REDISLOCK_SO="$so" "$root/bench/counters" --rounds=1 --cycles=100
}
