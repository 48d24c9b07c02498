# Sourced by scripts/matrix: other versions of Debian, each in a folder, to build and test in.
# shellcheck shell=bash

# Where this machine gets its packages, without a word of it in the repository.
mirror() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' "Codename: $(. /etc/os-release && echo "$VERSION_CODENAME")" | head -n 1; }

# How this machine reaches it: proxies, and whether the date of a release counts.
apt_settings() { apt-config dump | grep -E '^Acquire::(https?::|Retries|Check-)' || true; }

# in_root FOLDER COMMAND...: runs a command in it, with /proc and the like. They are mounted for this command alone, in a
# namespace of its own: whatever ends it, nothing stays mounted and nothing stays running.
in_root() {
	local folder=$1
	shift
	# shellcheck disable=SC2016 # the variables are for the inner shell
	unshare --mount --pid --fork --kill-child=KILL bash -c '
		folder=$1; shift
		# A mount of its own, or nobody inside could have a mount namespace.
		mount --bind "$folder" "$folder"
		mount -t proc proc "$folder/proc"
		mount -t sysfs -o ro sysfs "$folder/sys"
		mount -t tmpfs tmpfs "$folder/dev/shm"
		mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$folder/dev/pts"
		ln -sf pts/ptmx "$folder/dev/ptmx"
		exec chroot "$folder" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 TMPDIR=/tmp "$@"
	' in-root "$folder" "$@"
}

# make_root SUITE PACKAGES EXTRA-SUITE [EXTRA-PACKAGES...] FOLDER: a small Debian with the packages. Of the extra suite,
# such as experimental, it gets each of the lists of packages that can be installed now, and does without the others.
make_root() {
	local suite=$1 packages=$2 extra=$3 folder=${!#} uri list
	uri=$(mirror)
	[ -n "$uri" ] || { say "the mirror of this machine cannot be found"; return 1; }
	debootstrap --variant=minbase "$suite" "$folder" "$uri" || return 1
	apt_settings >"$folder/etc/apt/apt.conf.d/90machine"
	printf 'deb %s %s main\n' "$uri" "$suite" >"$folder/etc/apt/sources.list"
	[ -z "$extra" ] || printf 'deb %s %s main\n' "$uri" "$extra" >>"$folder/etc/apt/sources.list"
	# Debian starts a service as it installs it.
	printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
	chmod +x "$folder/usr/sbin/policy-rc.d"
	cp /etc/resolv.conf /etc/hosts "$folder/etc/" || return 1
	in_root "$folder" apt-get update -q || return 1
	install_in_root "$folder" "$packages" || return 1
	shift 3
	for list in "${@:1:$#-1}"; do
		install_in_root "$folder" -t "$extra" "$list" || say "cannot be installed: $list"
	done
	rm -rf "$folder"/var/cache/apt/archives/*.deb
}

# install_in_root FOLDER [OPTION...] PACKAGES
install_in_root() {
	local folder=$1
	shift
	# shellcheck disable=SC2068 # the packages are many words
	in_root "$folder" env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $@
}

# put_tree FOLDER: the files of the repository, in FOLDER/redislock. What was built there before stays.
put_tree() {
	local target=$1/redislock
	mkdir -p "$target"
	find "$target" -mindepth 1 -maxdepth 1 ! -name '.build*' -exec rm -rf {} +
	(cd "$root" && git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
		[ ! -e "$file" ] || printf '%s\0' "$file"
	done | tar --null -T - -c) | tar -x -C "$target"
}
