# Sourced by scripts/test: runs the code blocks of the documentation, see tests/docs/run.php.
# shellcheck shell=bash

# run_docs SO
run_docs() {
	local options status name reason files
	mapfile -t options < <(php_options "$1")
	# The code of a framework's page needs that framework: the tests of its package run it.
	mapfile -t files < <(tree_files README.md 'docs/*.md' ':!docs/laravel.md' ':!docs/symfony.md')
	[ ${#files[@]} -gt 0 ] || { fail "docs: there are none"; return; }
	run_child env -C "$root" "$(php_binary)" -n "$root/tests/docs/run.php" "$TEST_REDIS_SOCKET" "${filter:-}" "${files[@]}" \
		-- "${options[@]}" >"$work/docs.tsv" 2>"$work/docs.log" || fail "docs: tests/docs/run.php" "exit status $?"
	while IFS=$'\t' read -r status name reason; do
		case $status in
			PASS) pass "docs: $name" ;;
			SKIP) skip "docs: $name" "$reason" ;;
			*) fail "docs: $name" "$reason" ;;
		esac
	done <"$work/docs.tsv"
	sed 's/^/       /' "$work/docs.log"
}
