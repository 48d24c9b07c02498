# Sourced by tests: looks into any release of Debian, on the mirror that this machine uses, without changing the machine.
# shellcheck shell=bash

# from_debian RELEASE FOLDER WHAT...: runs `apt-get WHAT...` in FOLDER, for binary and source packages of that release,
# with an apt of its own. Fails if this is no Debian or the mirror does not have it; apt-get's words are in FOLDER/apt.log.
from_debian() {
	local release=$1 folder=$2 apt mirror status=0
	shift 2
	mkdir -p "$folder"
	command -v apt-get >/dev/null || return 1
	mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | grep -v security | head -n 1)
	[ -n "$mirror" ] || return 1
	apt=$(mktemp -d "${TMPDIR:-/tmp}/redislock-apt.XXXXXX")
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
	printf "%s [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main\n" deb deb-src >"$apt/sources.list"
	local -a options=(-q -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
		-o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root
		-o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)
	run_child apt-get "${options[@]}" update >"$folder/apt.log" 2>&1 || status=1
	[ $status -ne 0 ] || run_child env -C "$folder" apt-get "${options[@]}" "$@" >>"$folder/apt.log" 2>&1 || status=1
	rm -rf "$apt"
	return $status
}
