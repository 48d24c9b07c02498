# Sourced by scripts/test: the programs that test for minutes. Each counts as one test, and says more in its own output.
# shellcheck shell=bash

# program NAME COMMAND...: one test, which passes if COMMAND ends with 0; what it printed last is shown. 77 means that it
# cannot run here, and its last line says why.
program() {
	local name=$1 log=$work/program.log lines=3 status=0
	shift
	wanted "$name" || return 0
	run_child "$@" >"$log" 2>&1 || status=$?
	if [ $status -eq 0 ]; then
		pass "$name"
	elif [ $status -eq 77 ]; then
		skip "$name" "$(tail -n 1 "$log")"
	else
		fail "$name" "exit status $status"
		lines=60
	fi
	tail -n $lines "$log" | cut -c1-240 | sed 's/^/       /'
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

# What people install with Composer, each package with tests of its own.
run_integrations() {
	local version
	program "integrations/pdo" "$root/integrations/pdo/test"
	for version in 11 12 13; do
		# Laravel 13 needs a newer PHP than Debian 12 has.
		[ "$version" -lt 13 ] || [ "$("$PHP_CONFIG" --vernum)" -ge 80300 ] || continue
		program "integrations/laravel, Laravel $version" "$root/integrations/laravel/test" "$version"
	done
	program "examples/laravel-job" "$root/examples/laravel-job/run"
	program "integrations/symfony" "$root/integrations/symfony/test"
	program "integrations/symfony: PHPStan" "$root/integrations/symfony/analyse"
	program "examples/symfony-job" "$root/examples/symfony-job/run"
}

# Without the guard the torture test must find lost updates, or it could not find any with it.
run_chaos() {
	program "chaos: pgsql" "$root/tests/chaos/run" --database=pgsql --seconds=60 --seed=1
	program "chaos: mysql" "$root/tests/chaos/run" --database=mysql --seconds=20 --seed=2
	program "chaos: sqlite" "$root/tests/chaos/run" --database=sqlite --seconds=20 --seed=3
	program "chaos: without the guard" "$root/tests/chaos/run" --database=pgsql --seconds=20 --seed=4 --without-guard
}

run_demos() {
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
