# Sourced by scripts/test: whether people can install it, on this system and on others, and use it with their tools.
# shellcheck shell=bash

# run_install SO
run_install() { at_once "$(nproc)" name_installs "$1"; }

name_installs() {
	program "package: PECL" "$root/tests/package/pecl"
	program "package: composer.json" "$root/tests/package/composer-json"
	program "package: PIE" "$root/tests/package/pie"
	program "package: workflows" "$root/tests/package/workflows"
	program "platform: without Linux" "$root/tests/platform/without-linux"
	program "platform: Windows" "$root/tests/platform/windows"
	program "platform: config.w32" "$root/tests/platform/config-w32"
	program "stubs: PHPStan and Psalm" "$root/tests/stubs/run" "$1"
	program "stubs: gen_stub.php of PHP 8.4" "$root/tests/stubs/gen-stub-8.4"
	# Only with TEST_LONG the older one too: on it the machine itself shows every day that its lines are right.
	program "package: docs/install.md in a fresh Debian" "$root/tests/package/fresh-root" ${TEST_LONG:+bookworm} trixie
}
