# Sourced by scripts/matrix: what takes long to make and is the same next time.
# shellcheck shell=bash

# A folder outside the repository. Nothing breaks if it is emptied between two runs.
cache=${REDISLOCK_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/redislock}

# A folder for something that is made anew after a week, because what it is made of changes meanwhile.
MAX_AGE_DAYS=7

# What is being made now.
unfinished=

# For whoever is interrupted meanwhile, and where it could not be made: nothing of it stays.
discard_unfinished() {
	local folder=$unfinished
	[ -n "$folder" ] || return 0
	unfinished=
	remove_tree "$folder"
	remove_tree "$folder.source"
}

# cached NAME RECIPE COMMAND...: makes sure that $cache/NAME is there and made by this RECIPE (any text); COMMAND gets the
# path of a folder to make it in. Sets $cached. Fails if COMMAND does. Two runs at once do not make the same thing.
cached() {
	local name=$1 recipe=$2 folder=$cache/$1 new=$cache/$1.new status=0
	shift 2
	cached=$folder
	mkdir -p "$cache" || return 1
	exec 8>"$cache/$name.lock"
	flock 8
	if [ "$(cat "$folder.recipe" 2>/dev/null)" = "$recipe" ] && [ -d "$folder" ] &&
		[ -z "$(find "$folder.recipe" -mtime +$MAX_AGE_DAYS)" ]; then
		say "$name: from the cache"
	else
		say "$name: being made"
		rm -f "$folder.recipe"
		remove_tree "$folder" && remove_tree "$new" && mkdir -p "$new" || return 1
		unfinished=$new
		# In a process of its own: 8 must not be inherited by what it leaves running, and an interrupt ends it.
		run_child "$@" "$new" 8>&- || status=$?
		if [ $status -eq 0 ]; then
			mv "$new" "$folder"
			printf '%s\n' "$recipe" >"$folder.recipe"
		fi
		discard_unfinished
	fi
	exec 8>&-
	return $status
}

# Deletes a folder, and never what is mounted below it.
remove_tree() {
	[ -e "$1" ] || return 0
	if grep -qF " $(realpath "$1")/" /proc/self/mountinfo; then
		say "$1: something is mounted in there, so it stays"
		return 1
	fi
	rm -rf --one-file-system -- "$1"
}
