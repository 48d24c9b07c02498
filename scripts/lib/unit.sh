# Sourced by scripts/test: the unit tests of the C core. Each tests/unit/test_*.c is a program of its own, built with
# the sanitizers against the whole core, without PHP.
# shellcheck shell=bash

build_units() {
	run_child make --no-print-directory -s -j"$(nproc)" -k -C "$root/tests/unit" OUT="$build_root/unit" >"$work/unit-build.log" 2>&1
}

run_units() {
	local source program ready=()
	build_units || cat "$work/unit-build.log"
	for source in "$root"/tests/unit/test_*.c; do
		[ -f "$source" ] || { fail "unit: there are none"; return; }
		program=$(basename "$source" .c)
		wanted "unit: $program" || continue
		if [ -x "$build_root/unit/$program" ] && [ ! "$source" -nt "$build_root/unit/$program" ]; then
			ready+=("$program")
		else
			fail "unit: $program" "it does not compile"
		fi
	done
	[ ${#ready[@]} -gt 0 ] || return 0
	# Some compute, and some wait.
	run_child side_by_side $(($(nproc) * 2)) run_unit "${ready[@]}"
	for program in "${ready[@]}"; do
		take_unit "$program"
	done
}

run_unit() {
	# In the foreground: it stays in the group of processes that an interrupt ends.
	recorded "$work/$1" timeout --foreground -k 5 120 env -C "$work" CMOCKA_MESSAGE_OUTPUT=STDOUT \
		ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 "$build_root/unit/$1"
}

# cmocka's standard output has a line when a test begins and one when it ends, so a crash costs only that test.
take_unit() {
	local program=$1 log=$work/$1.log status begun ended line name
	local -A result=()
	read -r status _ <"$work/$program.status"
	begun=()
	while IFS= read -r line; do
		case $line in
			'[ RUN      ] '*) begun+=("${line#*] }") ;;
			'[       OK ] '*) result[${line#*] }]=pass ;;
			'[  SKIPPED ] '*) result[${line#*] }]=skip ;;
		esac
	done <"$log"
	ended=0
	for name in "${begun[@]}"; do
		case ${result[$name]:-fail} in
			pass) pass "unit: $program: $name" ;;
			skip) skip "unit: $program: $name" "unit test skips itself" ;;
			fail) fail "unit: $program: $name"; ended=1 ;;
		esac
	done
	# A leak is found after the last test, a crash may come before the first.
	if [ ${#begun[@]} -eq 0 ]; then
		fail "unit: $program" "it ran no test"
		ended=1
	elif [ "$status" -ne 0 ] && [ "$ended" -eq 0 ]; then
		fail "unit: $program" "exit status $status"
		ended=1
	fi
	[ "$ended" -eq 0 ] || sed 's/^/       /' "$log"
}
