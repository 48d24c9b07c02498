# Sourced by scripts/test: the alerts and the dashboard in ops/, and the text of the metrics, checked by promtool.
# shellcheck shell=bash

# Prints the path of promtool. Where it is not installed, it is taken out of Debian's package without installing that:
# the package would also start a Prometheus, now and after every boot.
find_promtool() {
	local folder=$build_root/promtool
	if command -v promtool; then
		return
	fi
	if [ ! -x "$folder/usr/bin/promtool" ]; then
		say "fetching promtool"
		rm -rf "$folder"
		mkdir -p "$folder"
		(cd "$folder" && { apt-get download -q prometheus || { update_lists && apt-get download -q prometheus; }; } &&
			dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb) >"$build_root/promtool.log" 2>&1 ||
			{ tail -n 20 "$build_root/promtool.log" >&2; return 1; }
	fi
	printf '%s\n' "$folder/usr/bin/promtool"
}

update_lists() {
	local sudo=()
	[ "$(id -u)" -eq 0 ] || sudo=(sudo)
	"${sudo[@]}" apt-get update -q </dev/null
}

# run_ops SO
run_ops() {
	local promtool options
	wanted "ops: promtool" || return 0
	promtool=$(find_promtool) || { fail "ops: promtool" "there is no promtool; install what Debian calls prometheus"; return; }
	mapfile -t options < <(php_options "$1")
	program "ops: promtool" "$(php_binary)" "${options[@]}" -d redislock.stats_groups=1 "$root/tests/ops/run.php" "$promtool" \
		"$TEST_REDIS_SOCKET"
}
