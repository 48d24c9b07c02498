# Sourced by scripts/test: which lines of the C code the tests run. The suite with sanitizers and the unit tests count them
# on the way. A process that is killed counts nothing, so it can be more than the report says, and never less.
# shellcheck shell=bash

# The least that must be covered, in percent of lines.
MIN_COVERAGE_CORE=90
MIN_COVERAGE_ALL=85

# trace FOLDER FROM TO OUTPUT: what the programs built in FOLDER have counted; the sources they saw in FROM are those in TO.
trace() {
	lcov --quiet --capture --directory "$1" --output-file "$4.raw" --rc geninfo_auto_base=1 || return 1
	sed "s|^SF:$2/|SF:$3/|" "$4.raw" >"$4"
}

# join_traces BUILD UNITS REPORT: what the suite and the unit tests have run, together: all.info, core.info and the report.
join_traces() {
	trace "$1" "$1/src" "$root/src" "$work/phpt.info" &&
		trace "$2" "$root/tests/unit/../../src" "$root/src" "$work/unit.info" &&
		lcov --quiet -a "$work/phpt.info" -a "$work/unit.info" -o "$work/both.info" &&
		lcov --quiet --extract "$work/both.info" "$root/src/*" -o "$work/all.info" &&
		lcov --quiet --extract "$work/both.info" "$root/src/core/*" -o "$work/core.info" &&
		genhtml --quiet --output-directory "$3" --title redislock "$work/all.info"
}

# line_rate TRACE: percent of lines that were run, with one decimal.
line_rate() { awk -F: '$1 == "LF" { all += $2 } $1 == "LH" { run += $2 } END { printf "%.1f\n", all ? 100 * run / all : 0 }' "$1"; }

# Each file with its rate, the least covered first.
line_rates() {
	awk -F: '$1 == "SF" { file = $2; sub(/.*\/src\//, "src/", file) } $1 == "LF" { all = $2 } $1 == "LH" { run = $2 }
		$1 == "end_of_record" && all { printf "%5.1f %% of %4d lines: %s\n", 100 * run / all, all, file }' "$1" | sort -n
}

# Before a whole run. What is counted meanwhile is of that run alone.
forget_coverage() { find "$build_root/asan" "$build_root/unit" -name '*.gcda' -delete 2>/dev/null || true; }

report_coverage() {
	local report=$build_root/coverage-report
	rm -rf "$report"
	join_traces "$build_root/asan" "$build_root/unit" "$report" >"$work/lcov.log" 2>&1 ||
		{ fail "coverage: lcov failed"; tail -n 20 "$work/lcov.log"; return; }
	line_rates "$work/all.info"
	printf '   the report: %s/index.html\n' "$report"
	at_least "coverage: src/core" "$(line_rate "$work/core.info")" $MIN_COVERAGE_CORE
	at_least "coverage: all" "$(line_rate "$work/all.info")" $MIN_COVERAGE_ALL
}

# at_least NAME RATE LEAST: one test.
at_least() {
	printf '   %s: %s %% of lines, at least %s %%\n' "$1" "$2" "$3"
	if awk "BEGIN { exit !($2 >= $3) }"; then pass "$1"; else fail "$1" "$2 % of lines, and not $3 %"; fi
}
