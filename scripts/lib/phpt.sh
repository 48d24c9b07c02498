# Sourced by scripts/test: the PHPT suite, run by PHP's own run-tests.php.
# shellcheck shell=bash

# The extensions that some tests need and that this PHP has as files. `make test` would not find them, because it
# looks only in modules/, and would skip those tests without a word.
shared_extensions() {
	local folder name
	folder=$("$PHP_CONFIG" --extension-dir)
	for name in posix pcntl sockets pdo pdo_sqlite; do
		[ ! -f "$folder/$name.so" ] || printf '%s\n' "$name"
	done
}

# php_options SO: the options with which a PHP has the extension and what the tests need beside it.
php_options() {
	local name
	printf '%s\n' -n -d "extension=$1"
	shared_extensions | while read -r name; do printf '%s\n' -d "extension=$name"; done
}

# What a variant of the suite needs beside the build.
variant_options() {
	# What PCRE compiles reads past the end of a string, harmlessly.
	[ "$1" != valgrind ] || printf '%s\n' -d pcre.jit=0
	[ "$1" = jit ] || return 0
	# Everything is compiled as early as can be, and nothing is given up.
	printf '%s\n' -d opcache.enable_cli=1 -d opcache.jit=tracing -d opcache.jit_buffer_size=64M -d opcache.jit_hot_loop=1 \
		-d opcache.jit_hot_func=1 -d opcache.jit_hot_return=1 -d opcache.jit_hot_side_exit=1
	[ ! -f "$("$PHP_CONFIG" --extension-dir)/opcache.so" ] || printf '%s\n' -d zend_extension=opcache
}

# run_phpt VARIANT SO PHP LABEL: the whole suite. It runs in a copy, because run-tests.php writes beside the tests.
run_phpt() {
	local variant=$1 so=$2 php=$3 label=$4 copy=$build_root/phpt-$1 options tests status=0 file
	rm -rf "$copy"
	mkdir -p "$copy"
	cp -R "$root/tests" "$root/bin" "$root/tool" "$root/man" "$copy"
	mapfile -t options < <(php_options "$so")
	mapfile -t -O ${#options[@]} options < <(variant_options "$variant")
	mapfile -t tests < <(cd "$copy" && find tests -name '*.phpt' | sort)
	local chosen=()
	for file in "${tests[@]}"; do
		# The tool is PHP, and a test of it is a process after another, each slow to start under the sanitizers.
		case $variant:$file in
			asan:tests/tool/*) continue ;;
			# What has one or two processes. The rest measures time, which valgrind stretches, or takes an hour; what matters
			# there is in tests/faults/under_valgrind.
			valgrind:tests/acquire/after_own_expiry.phpt | valgrind:tests/synchronized/lost.phpt) continue ;;
			valgrind:tests/acquire/* | valgrind:tests/arguments/* | valgrind:tests/handover/* | valgrind:tests/inspect/*) ;;
			valgrind:tests/objects/* | valgrind:tests/secrets/* | valgrind:tests/settings/* | valgrind:tests/synchronized/*) ;;
			valgrind:tests/tls/mistaken.phpt | valgrind:tests/ownership/renew.phpt) ;;
			valgrind:*) continue ;;
		esac
		! wanted "$label: ${file#tests/}" || chosen+=("$copy/$file")
	done
	[ ${#chosen[@]} -gt 0 ] || return 0
	mapfile -t chosen < <(slow_first "${chosen[@]}")

	export TEST_PHP_SRCDIR=$copy NO_INTERACTION=1
	# Under the sanitizers everything is slower, and memory is not what it seems; a few tests have to know.
	case $variant in asan | valgrind) export TEST_ASAN=1 SKIP_ASAN=1 ;; esac
	# For what hangs. A machine that is busy takes its time.
	local limit=300
	if [ "$variant" = valgrind ]; then
		limit=600
		options+=(-m)
		# Without it run-tests.php sees no leak: it looks for "ERROR SUMMARY: 0", and a leak is no error by itself.
		export VALGRIND_OPTS="--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --trace-children-skip=*redis-server*,*valkey-server*,*/sh,*/env,*/openssl"
	fi
	# -x is PHP's own way to leave out what is slow: such a test says so in --SKIPIF--, see tests/include/skipif_slow.inc.
	[ -z "${quick:-}" ] || options+=(-x)
	one_test_at_a_time >"$work/run-tests.php"
	# A test that is interrupted cannot clean up; what it has made goes with $work. A short name: sockets have few bytes for it.
	mkdir -p "$work/t"
	local runner=(env TMPDIR="$work/t" "$(php_binary)" -n "$work/run-tests.php" -q -p "$php" "${options[@]}" --set-timeout "$limit"
		--show-diff --no-color --no-progress -g FAIL,SKIP,BORK,WARN,LEAK,XFAIL,XLEAK)
	# Tests mostly wait for processes and servers, so more of them than processors.
	run_child "${runner[@]}" -j"${TEST_JOBS:-$(($(nproc) * 4))}" -W "$work/phpt.tsv" "${chosen[@]}" \
		>"$work/phpt.log" 2>&1 || status=$?
	run_failed_again "$copy" "${runner[@]}"
	unset TEST_PHP_SRCDIR TEST_ASAN SKIP_ASAN VALGRIND_OPTS

	take_phpt_results "$label" "$copy"
	local counted
	counted=$(wc -l <"$work/phpt.tsv")
	if [ "$counted" -ne "${#chosen[@]}" ]; then
		fail "$label: run-tests.php" "$counted results for ${#chosen[@]} tests, exit status $status"
		tail -n 30 "$work/phpt.log"
	fi
}

# Those that say of themselves that they are slow come first: one that takes a minute must not begin when all others are done.
slow_first() {
	grep -lF skipif_slow.inc "$@" || true
	grep -LF skipif_slow.inc "$@" || true
}

# PHP's run-tests.php, but for one thing: it gives 33 tests at once to each of its workers, and in the end most of them have
# nothing to do while the last one still has a folder of slow tests. Here each gets one, and comes back for another.
one_test_at_a_time() { sed 's/count(\$files) <=\{0,1\} \$batchSize/count($files) < 1/' "$build_root/default/run-tests.php"; }

# run_failed_again COPY COMMAND...: a test that failed beside others may have found a busy machine. Up to three are run once
# more, each by itself. Those that pass then become AGAIN: they are listed at the end, so that somebody looks at them.
run_failed_again() {
	local copy=$1 failed file
	shift
	mapfile -t failed < <(awk -F'\t' '$1 == "FAILED" { print $2 }' "$work/phpt.tsv")
	[ ${#failed[@]} -le 3 ] || return 0
	for file in "${failed[@]}"; do
		run_child "$@" -j1 -W "$work/again.tsv" "$copy/${file#"$copy"/}" >"$work/again.log" 2>&1 || true
		! grep -q '^PASSED' "$work/again.tsv" || sed -i "s|^FAILED\t$file\$|AGAIN\t$file|" "$work/phpt.tsv"
	done
}

take_phpt_results() {
	local label=$1 copy=$2 status file reason failed=0
	while IFS=$'\t' read -r status file; do
		file=${file#"$copy"/}
		file=${file#tests/}
		case $status in
			PASSED) pass "$label: $file" ;;
			SKIPPED)
				reason=$(grep -F "[tests/$file]" "$work/phpt.log" | sed -n 's/^SKIP.*\] reason: //p' | head -n 1)
				skip "$label: $file" "${reason:-no reason}"
				;;
			WARNED)
				# run-tests.php runs a test that reads the clock once more: the machine may have been busy. It is listed
				# at the end, so that somebody looks at it.
				if grep -F "[tests/$file]" "$work/phpt.log" | grep -qF '(warn: Test passed on retry attempt)'; then
					pass "$label: $file" "only when it was run again"
				else
					fail "$label: $file" "$status"
					failed=1
				fi
				;;
			AGAIN) pass "$label: $file" "only when it was run again"; failed=1 ;;
			# Neither is a test that is expected to fail one that passed.
			*) fail "$label: $file" "$status"; failed=1 ;;
		esac
	done <"$work/phpt.tsv"
	[ $failed -eq 0 ] || sed -n '/^Spawning/,/^Number of tests/p' "$work/phpt.log" | grep -vE '^(SKIP|Spawning|Number of|=+$)' | head -n 300 | sed 's/^/       /' || true
}
