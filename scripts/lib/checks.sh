# Sourced by scripts/test: what must hold for the tree itself. Each prints what is wrong and nothing else.
# shellcheck shell=bash

# The files of the repository, also those not committed yet.
tree_files() { git -C "$root" ls-files --cached --others --exclude-standard -- "$@" | sort -u | while read -r f; do [ -f "$root/$f" ] && echo "$f"; done; }

# in_tree COMMAND...: runs it in the root of the tree.
in_tree() { (cd "$root" && "$@"); }

includes_of() { tree_files "$@" | (cd "$root" && xargs -r grep -nE '^[[:space:]]*#[[:space:]]*include') || true; }

core_is_free_of_php() {
	includes_of src/core | grep -E '[<"](php|zend|Zend/|ext/|main/|SAPI|TSRM)' | sed 's/$/   <- a header of PHP in the core/'
	tree_files src/core | (cd "$root" && xargs -r grep -nE '\b(zval|zend_[a-z]+|ZEND_[A-Z]+|PHP_[A-Z]+|emalloc|efree)\b') |
		sed 's/$/   <- a word of PHP in the core/'
	return 0
}

# OpenSSL is for TLS only, and of hiredis only the parser is used, for replies.
libraries_are_used_in_one_place() {
	includes_of src '*.h' tests/unit | grep -E 'hiredis(/hiredis)?_ssl\.h|hiredis/(async|net|adapters)|<openssl/' |
		grep -vE '^(src/core/tls|tests/unit/test_tls)\.c:' | sed 's/$/   <- only tls.c uses OpenSSL, and nothing uses this part of hiredis/'
	tree_files 'src/*.c' 'src/*.h' | (cd "$root" && xargs -r grep -nE '\bredis[A-Z][A-Za-z]*\(' /dev/null) |
		grep -vE '^src/core/reply\.c:.*\bredisReader[A-Z]' | sed 's/$/   <- only reply.c uses hiredis, and only its parser/'
	return 0
}

generated_is_fresh() { in_tree scripts/generate --check >"$work/generate.log" 2>&1 || cat "$work/generate.log"; }

# No path and no package host of the machine that something was written on.
no_trace_of_a_machine() {
	local hosts
	tree_files | (cd "$root" && xargs -d '\n' grep -nIE -- "(^|[^A-Za-z0-9_.])(/(work|root)|$root)/[A-Za-z]") |
		cut -c1-160 | sed 's/$/   <- a path of this machine/'
	hosts=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -v '^#' |
		grep -oE 'https?://[^/" ]+' | sed 's|.*//||' | sort -u)
	[ -z "$hosts" ] || tree_files | (cd "$root" && xargs -d '\n' grep -nIF -- "$hosts") | cut -c1-160 | sed 's/$/   <- a package host/'
	return 0
}

# A file that is not in package.xml is not in the package, and nobody notices before a user does.
lists_are_complete() { in_tree scripts/package-files --check; }

# docs/operations.md is where a person on call looks up what doctor said, and what a status means.
operations_page_is_complete() {
	diff <(cd "$root" && grep -rhozP "Finding(::(problem|warning|hint)|)\(\s*'[a-z-]+'|new self\('[a-z-]+'" tool/Doctor | tr '\0' '\n' |
		grep -oE "'[a-z-]+'" | tr -d "'" | sort -u) \
		<(sed -n '/^## What doctor finds/,/^## /s/^| `\([a-z-]*\)` .*/\1/p' "$root/docs/operations.md" | sort -u) |
		sed -n 's/^</doctor finds, and docs\/operations.md does not know:/p; s/^>/docs\/operations.md has, and doctor does not find:/p'
	diff <(sed -n 's/.*public const [A-Z]* = \([0-9]*\);/\1/p' "$root/tool/ExitCode.php" | sort -u) \
		<(sed -n '/^### Exit status/,/^##/s/^| \([0-9]*\) .*/\1/p' "$root/docs/operations.md" | sort -u) |
		sed -n 's/^[<>]/exit status, in tool\/ExitCode.php or in docs\/operations.md only:/p'
	return 0
}

# The picture of the README is what scripts/screenshot makes, and can be shown.
picture_can_be_shown() {
	"$(php_binary)" -n -r '
		$text = file_get_contents($argv[1]);
		// One element after another, each closed: this PHP may have no extension for XML.
		foreach (["<svg ", "redislock top", "hand-overs", "</svg>"] as $part) {
			str_contains($text, $part) || print "$argv[1] does not hold $part\n";
		}' "$root/docs/images/top.svg"
}

shell_is_clean() {
	local file
	(cd "$root" && tree_files scripts bench .ci tests | xargs -r awk 'FNR == 1 && (FILENAME ~ /\.sh$/ || /^#!.*bash/) { print FILENAME }') |
		while read -r file; do bash -n "$root/$file" 2>&1; done
}

every_php_file_compiles() {
	local php
	php=$(php_binary)
	tree_files '*.php' '*.inc' | (cd "$root" && xargs -r -n 1 -P "$(nproc)" "$php" -n -l) 2>&1 | grep -v '^No syntax errors' || true
}

# For --quick, in one process: starting PHP for each takes longer.
every_php_file_parses() {
	local options=(-n)
	[ ! -f "$("$PHP_CONFIG" --extension-dir)/tokenizer.so" ] || options+=(-d extension=tokenizer)
	# shellcheck disable=SC2016 # PHP's variables
	tree_files '*.php' '*.inc' | (cd "$root" && "$(php_binary)" "${options[@]}" -r '
		while (($file = fgets(STDIN)) !== false) {
			try {
				PhpToken::tokenize(file_get_contents(trim($file)), TOKEN_PARSE);
			} catch (ParseError $error) {
				echo trim($file), ":", $error->getLine(), ": ", $error->getMessage(), "\n";
			}
		}') 2>&1
}

# Each row of the tables of faults in docs/guarantees.md names the tests that prove it, and each of them is there.
rows_name_tests() {
	local row names name header=
	while IFS= read -r row; do
		case $row in
			*'| proved by, in `tests/` |') header=yes; continue ;;
			'|---'*) continue ;;
			'|'*) [ -n "$header" ] || continue ;;
			*) header=; continue ;;
		esac
		row=${row%|}
		names=${row##*|}
		[ -n "${names// /}" ] || echo "this row names no test: $row"
		for name in ${names//,/ }; do
			compgen -G "$root/tests/$name.phpt" >/dev/null || echo "tests/$name.phpt is not there: $row"
		done
	done <"$root/docs/guarantees.md"
}

run_checks() {
	check "check: generated files are fresh" generated_is_fresh
	check "check: the core knows nothing of PHP" core_is_free_of_php
	check "check: OpenSSL and hiredis are used in one place each" libraries_are_used_in_one_place
	check "check: no path or host of a machine" no_trace_of_a_machine
	check "check: package.xml, config.m4 and config.w32 list every file" lists_are_complete
	check "check: docs/operations.md has every finding of doctor and every exit status" operations_page_is_complete
	check "check: docs/images/top.svg is a picture of redislock top" picture_can_be_shown
	check "check: shell scripts parse" shell_is_clean
	if [ -n "${quick:-}" ]; then
		check "check: PHP files parse" every_php_file_parses
	else
		check "check: PHP files compile" every_php_file_compiles
	fi
	check "check: docs/guarantees.md names a test for each fault" rows_name_tests
}
