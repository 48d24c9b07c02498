<?php
/*
 * Runs the code blocks of the documentation, so that what it says is true.
 *
 *   php run.php SOCKET FILTER FILE... -- PHP-OPTION...
 *
 * Every ```php block is run in a process of its own, with the extension and with redislock.servers set to the server
 * at SOCKET. Of the ```sh blocks only those that say so; there `redislock` is bin/redislock, and it and `redis-cli` speak
 * to that server. It must end with status 0 and without any error or warning
 * of PHP. A comment before a block changes that; several may stand one after another:
 *
 *   <!-- test: run -->                      run this sh block, in the root of the tree
 *   <!-- test: expects "text" -->           its output must hold the text
 *   <!-- test: throws "text" -->            it must end by an uncaught exception whose report holds the text
 *   <!-- test: continues -->                it goes on where the php block before it ended: both are run together
 *   <!-- test: with tests/docs/file.inc --> this file is run before it, for what a reader has and a test has not
 *   <!-- test: skip because reason -->      it is not run. The reason is shown, and must be in tests/allowed_skips
 *
 * Prints one line per block: PASS, FAIL or SKIP, where it is, the reason; separated by tabs. Details go to stderr.
 */
declare(strict_types=1);

require __DIR__ . '/markdown.inc';

$arguments = array_slice($argv, 1);
$separator = array_search('--', $arguments, true);
[$socket, $filter] = $arguments;
$files = array_slice($arguments, 2, $separator - 2);
$options = array_slice($arguments, $separator + 1);

/** @return array{output: string, status: int} */
function run(array $command): array
{
	$process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
	$output = stream_get_contents($pipes[1]);
	return ['output' => $output, 'status' => proc_close($process)];
}

function report(string $result, string $name, string $reason = ''): void
{
	echo "$result\t$name\t", strtr($reason, "\t\n", '  '), "\n";
}

/** What is wrong with this run of this block; null: nothing. */
function problem(Block $block, array $ran): ?string
{
	$throws = $block->notes['throws'] ?? null;
	foreach (array_filter([$block->notes['expects'] ?? null, $throws]) as $text) {
		if (!str_contains($ran['output'], $text)) {
			return "its output does not hold \"$text\"";
		}
	}
	if ($throws !== null) {
		return str_contains($ran['output'], 'Uncaught ') ? null : 'it did not end by an exception';
	}
	if ($ran['status'] !== 0) {
		return "exit status $ran[status]";
	}
	if ($block->language === 'php' && preg_match('/^(PHP )?(Fatal error|Parse error|Warning|Notice|Deprecated):/m', $ran['output'], $match)) {
		return "PHP says $match[2]";
	}
	return null;
}

$folder = sys_get_temp_dir() . '/redislock-docs-' . bin2hex(random_bytes(6));
mkdir($folder, 0700);
register_shutdown_function(function () use ($folder) {
	array_map('unlink', glob("$folder/*"));
	rmdir($folder);
});

/** Puts a program into a folder. @param list<string> $command */
function program(string $name, array $command): void
{
	file_put_contents($name, "#!/bin/sh\nexec " . implode(' ', array_map(escapeshellarg(...), $command)) . " \"\$@\"\n");
	chmod($name, 0700);
}

$path = getenv('PATH');
$redis_cli = trim((string) shell_exec('command -v redis-cli')) ?: 'redis-cli';
program("$folder/redislock", [PHP_BINARY, ...$options, getcwd() . '/bin/redislock']);
program("$folder/redis-cli", [$redis_cli, '-e', '-s', $socket]);

foreach ($files as $file) {
	$before = '';
	foreach (blocks_of($file) as $block) {
		$name = "$file:$block->line";
		if ($block->problem !== null) {
			report('FAIL', $name, $block->problem);
			continue;
		}
		if ($block->language === 'php') {
			$code = preg_replace('/^\s*<\?php\s*/', '', $block->code);
			$code = isset($block->notes['continues']) ? "$before\n$code" : $code;
			$before = $code;
		}
		if (isset($block->notes['skip'])) {
			report('SKIP', $name, $block->notes['skip']);
			continue;
		}
		if ($filter !== '' && !str_contains("docs: $name", $filter)) {
			continue;
		}
		if ($block->language === 'php') {
			$with = isset($block->notes['with']) ? 'require ' . var_export(getcwd() . '/' . $block->notes['with'], true) . ";\n" : '';
			// A file of its own, because __DIR__, declare() and `use` mean nothing to php -r.
			$script = "$folder/block.php";
			file_put_contents($script, "<?php\n$code\n");
			$first = "$folder/first.php";
			file_put_contents($first, "<?php\nchdir(" . var_export($folder, true) . ");\n$with");
			$ran = run([PHP_BINARY, ...$options, '-d', "redislock.servers=unix://$socket", '-d', 'display_errors=1', '-d', 'error_reporting=-1', '-d', "auto_prepend_file=$first", $script]);
		} else {
			$ran = run(['env', "PATH=$folder:$path", "REDISLOCK_SERVERS=unix://$socket", 'bash', '-euo', 'pipefail', '-c', $block->code]);
		}
		$problem = problem($block, $ran);
		report($problem === null ? 'PASS' : 'FAIL', $name, (string) $problem);
		if ($problem !== null) {
			fwrite(STDERR, "$name: $problem\n" . preg_replace('/^/m', '    ', $ran['output']) . "\n");
		}
	}
}
