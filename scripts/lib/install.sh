# Sourced by scripts/test: whether people can install it, on this system and on others, and use it with their tools.
# shellcheck shell=bash

# run_install SO
run_install() { at_once $(($(nproc) + 1)) name_installs "$1"; }

# Those that take longest come first.
name_installs() {
	# Only with TEST_LONG the older one too: on it the machine itself shows every day that its lines are right.
	program "package: docs/install.md in a fresh Debian" "$root/tests/package/fresh-root" ${TEST_LONG:+bookworm} trixie
	program "package: PECL" "$root/tests/package/pecl"
	program "platform: Windows" "$root/tests/platform/windows"
	program "platform: without Linux" "$root/tests/platform/without-linux"
	program "stubs: PHPStan and Psalm" "$root/tests/stubs/run" "$1"
	program "package: PIE" "$root/tests/package/pie"
	program "package: workflows" "$root/tests/package/workflows"
	program "stubs: gen_stub.php of PHP 8.4" "$root/tests/stubs/gen-stub-8.4"
	program "package: composer.json" "$root/tests/package/composer-json"
	program "platform: config.w32" "$root/tests/platform/config-w32"
}
