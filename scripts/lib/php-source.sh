# Sourced by scripts/matrix: a PHP that no package has, built from the source package of Debian's.
# shellcheck shell=bash

# What the tests use, and the library for a program with threads.
php_switches="--disable-all --enable-cli --enable-fpm --enable-embed=shared --disable-cgi --disable-phpdbg --enable-debug
	--enable-zts --enable-pcntl --enable-posix --enable-sockets --enable-tokenizer --enable-ctype --enable-pdo
	--with-pdo-sqlite --with-openssl --without-pear"

# source_apt FOLDER COMMAND...: an apt of our own, which knows the source packages and leaves the machine's lists alone.
source_apt() {
	local folder=$1 command=$2
	shift 2
	"$command" -q -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists" \
		-o Dir::Cache="$folder/cache" "$@"
}

# make_php VERSION FOLDER: fetches the newest source package of php-VERSION that can be had, builds it, and installs it
# into FOLDER. (The newest in the list need not be: a mirror may lack what belongs to the security updates.)
make_php() {
	local package=php$1 folder=$2 source=$2.source keyring=/usr/share/keyrings/debian-archive-keyring.gpg version
	rm -rf "$source"
	mkdir -p "$source/lists/partial" "$source/cache/archives/partial"
	apt-get indextargets --format "deb-src [signed-by=$keyring] \$(REPO_URI) \$(CODENAME) \$(COMPONENT)" \
		'Created-By: Packages' 'Origin: Debian' | sort -u >"$source/sources.list"
	cd "$source" || return 1
	source_apt "$source" apt-get update || return 1
	for version in $(source_apt "$source" apt-cache showsrc "$package" | sed -n 's/^Version: //p' | sort -ruV); do
		! source_apt "$source" apt-get source --download-only "$package=$version" || break
	done
	mkdir tree
	# Beside it lies its signature.
	tar -xf "$(find . -maxdepth 1 -name "${package}_*.orig.tar.*" ! -name '*.asc')" -C tree --strip-components=1 || return 1
	cd tree || return 1
	# shellcheck disable=SC2086 # these are many words
	./configure --prefix="${folder%.new}" $php_switches CFLAGS="-O1 -g" >configure.log 2>&1 || { tail -n 40 configure.log; return 1; }
	make -j"$(nproc)" >make.log 2>&1 || { tail -n 40 make.log; return 1; }
	make install INSTALL_ROOT="$source/installed" >install.log 2>&1 || { tail -n 40 install.log; return 1; }
	cp -R "$source/installed${folder%.new}/." "$folder" && cd / && rm -rf "$source"
}
