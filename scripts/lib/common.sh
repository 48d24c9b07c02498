# Sourced by the scripts: where the repository is, how to speak, and how to end what was started.
# shellcheck shell=bash
# shellcheck disable=SC2034 # its variables are for those who source it

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# A build for another PHP needs a folder of its own, or each would begin anew after the other.
build_root=${REDISLOCK_BUILD:-$root/.build}

say() { printf '%s\n' "$*" >&2; }
die() { say "$(basename "$0"): $*"; exit 1; }

# Runs a command as a process group of its own and waits for it. A shell runs its traps only between two commands, but
# `wait` returns at once when a signal comes; so an interrupt ends a test run now and not at the end of the suite.
child=
run_child() {
	local status=0 group
	set -m
	"$@" </dev/null &
	child=$!
	set +m
	group=$child
	wait "$child" || status=$?
	child=
	# A test that ran into its time limit can leave processes behind.
	end_group "$group"
	return "$status"
}

# Ends what run_child is running, with everything that it started.
end_child() {
	[ -n "$child" ] || return 0
	local group=$child
	child=
	end_group "$group"
	# If a signal came just as the child ended, its status is gone, and wait would wait for all the others.
	! kill -0 "$group" 2>/dev/null || wait "$group" 2>/dev/null || true
}

# Who is told to end may still have to clean up, as the keepers of the tests' servers do; so it gets a moment.
end_group() {
	local try
	kill -TERM -- "-$1" 2>/dev/null || return 0
	for try in {1..50}; do
		kill -0 -- "-$1" 2>/dev/null || return 0
		sleep 0.1
	done
	kill -KILL -- "-$1" 2>/dev/null || true
}

# recorded FILE COMMAND...: what it says is in FILE.log then, and FILE.status has its exit status and how many seconds it
# took. For side_by_side, whose commands cannot say how they ended.
recorded() {
	local file=$1 begin=$SECONDS status=0
	shift
	"$@" >"$file.log" 2>&1 || status=$?
	echo "$status $((SECONDS - begin))" >"$file.status"
}

# side_by_side MOST COMMAND ARGUMENT...: COMMAND with each ARGUMENT, so many of them at once. For run_child, which ends them
# all when it is interrupted.
side_by_side() {
	local most=$1 command=$2 argument running=0
	shift 2
	for argument; do
		if [ $running -eq "$most" ]; then
			wait -n || true
			running=$((running - 1))
		fi
		"$command" "$argument" &
		running=$((running + 1))
	done
	wait
}
