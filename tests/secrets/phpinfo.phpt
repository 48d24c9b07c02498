--TEST--
phpinfo(), php -i and --ri show the servers without their passwords
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$dsn = 'redis://user:hushhush@127.0.0.1:6399/2';
$several = 'redis://:hushone@10.0.0.1,redis://u:hushtwo@10.0.0.2:7000,unix://:hushthree@/run/redis.sock';
foreach ([$dsn, $several, 'unix://:hush%40hush@/run/redis.sock?db=3', 'redis://:hush?x=hush@127.0.0.1', ':hush@127.0.0.1', 'redis://hush'] as $i => $servers) {
	// From a file, so that the value is not part of a command line that phpinfo() would print for its own reasons.
	$shown = run_php('ini_set("redislock.servers", ' . var_export($servers, true) . '); ob_start(); phpinfo(); $text = ob_get_clean();
		preg_match("/^redislock\\.servers => .*$/m", $text, $line); echo $line[0] ?? "no such line", "\n", stripos($text, "redislock") !== false ? "there\n" : "not there\n";');
	same(0, $shown['status'], "$i: phpinfo() works");
	check(str_ends_with($shown['output'], "there\n") && !str_contains($shown['output'], 'no such line'), "$i: the extension and its setting are shown", output: $shown['output']);
	if ($servers !== 'redis://hush') {
		check(stripos($shown['output'], 'hush') === false, "$i: without the password", output: $shown['output']);
	}
}
$folder = sys_get_temp_dir() . '/redislock-ini-' . bin2hex(random_bytes(6));
mkdir($folder);
file_put_contents("$folder/99-test.ini", "redislock.servers=\"$dsn\"\n");
foreach (['-i', '--ri redislock'] as $option) {
	$output = shell_exec('env -u LD_PRELOAD true; PHP_INI_SCAN_DIR=' . escapeshellarg($folder) . ' ' . preg_replace("/ '?-n'? /", ' ', php_command()) . " $option 2>&1");
	check(str_contains($output, 'redislock.servers => '), "php $option shows the setting", output: substr($output, 0, 500));
	check(str_contains($output, '127.0.0.1:6399'), "php $option shows the host");
	check(!str_contains($output, 'hush'), "php $option does not show the password");
}
unlink("$folder/99-test.ini");
rmdir($folder);

// ini_get() does show it: it is how a program reads its own settings.
ini_set('redislock.servers', $dsn);
same($dsn, ini_get('redislock.servers'), 'ini_get() shows what was set');
done();
?>
--EXPECT--
24 checks passed
