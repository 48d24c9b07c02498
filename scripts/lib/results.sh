# Sourced by scripts/test: keeps the result of every test, and the account at the end.
# shellcheck shell=bash

# Needs: $work, a temporary folder. One line per test: PASS|FAIL|SKIP, its name, the reason.
results=$work/results.tsv
: >"$results"
allowed_skips=$root/tests/allowed_skips

# wanted NAME: does --filter let this test run?
wanted() { [[ -z ${filter:-} || $1 == *"$filter"* ]]; }

# pass NAME [REMARK]
pass() { printf 'PASS\t%s\t%s\n' "$1" "${2:-}" >>"$results"; }

fail() {
	printf 'FAIL\t%s\t%s\n' "$1" "${2:-}" >>"$results"
	printf '  FAIL %s%s\n' "$1" "${2:+: $2}"
}

# A skip is a failure unless somebody wrote down that this reason is all right: a test nobody notices missing is none.
skip() {
	local pattern
	while IFS= read -r pattern; do
		# shellcheck disable=SC2053 # the right side is a pattern
		if [[ $2 == $pattern ]]; then
			printf 'SKIP\t%s\t%s\n' "$1" "$2" >>"$results"
			return
		fi
	done < <(grep -v '^ *\(#\|$\)' "$allowed_skips")
	fail "$1" "skipped, and this reason is not in tests/allowed_skips: $2"
}

# check NAME COMMAND...: one test, which passes if COMMAND prints nothing and does not fail.
check() {
	local name=$1 said
	shift
	wanted "$name" || return 0
	if said=$("$@" 2>&1) && [ -z "$said" ]; then
		pass "$name"
	else
		fail "$name"
		printf '%s\n' "${said:-(it said nothing)}" | sed 's/^/       /'
	fi
}

count() { awk -F'\t' -v status="$1" '$1 == status { n++ } END { print n + 0 }' "$results"; }

# Runs a group of tests and says how it went and how long it took.
group() {
	local title=$1 passed failed skipped start=$SECONDS
	shift
	passed=$(count PASS) failed=$(count FAIL) skipped=$(count SKIP)
	printf '== %s\n' "$title"
	"$@"
	printf '   %s passed, %s failed, %s skipped in %s s\n' $(($(count PASS) - passed)) $(($(count FAIL) - failed)) \
		$(($(count SKIP) - skipped)) $((SECONDS - start))
}

# The last lines of the run. Fails if anything failed or nothing ran.
summary() {
	local passed failed skipped
	passed=$(count PASS) failed=$(count FAIL) skipped=$(count SKIP)
	printf '\n== allowed reasons to skip (tests/allowed_skips)\n'
	grep -v '^ *\(#\|$\)' "$allowed_skips" | sed 's/^/   /' || echo '   none'
	if [ "$skipped" -gt 0 ]; then
		printf '== skipped\n'
		awk -F'\t' '$1 == "SKIP" { print "   " $2 ": " $3 }' "$results"
	fi
	if [ "$(awk -F'\t' '$1 == "PASS" && $3 != ""' "$results" | wc -l)" -gt 0 ]; then
		printf '== passed, but\n'
		awk -F'\t' '$1 == "PASS" && $3 != "" { print "   " $2 ": " $3 }' "$results"
	fi
	if [ "$failed" -gt 0 ]; then
		printf '== failed\n'
		awk -F'\t' '$1 == "FAIL" { print "   " $2 ($3 == "" ? "" : ": " $3) }' "$results"
	fi
	printf '\n%s passed, %s failed, %s skipped\n' "$passed" "$failed" "$skipped"
	[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
}
