--TEST--
The INI settings, their defaults and what phpinfo() shows of them
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$defaults = [
	'redislock.connect_timeout' => '1.0', 'redislock.fence_retention' => '604800', 'redislock.persistent' => '1', 'redislock.prefix' => 'redislock:',
	'redislock.retry_for' => '10.0', 'redislock.servers' => 'redis://127.0.0.1:6379', 'redislock.timeout' => '1.0',
];
$ini = ini_get_all('redislock', false);
ksort($ini);
foreach ($defaults as $name => $value) {
	check(isset($ini[$name]) && (is_numeric($value) ? (float) $ini[$name] === (float) $value : $ini[$name] === $value), "$name is $value", seen: $ini[$name] ?? null);
}
$shown = run_php('phpinfo();')['output'];
foreach ($defaults as $name => $value) {
	check(preg_match('/^' . preg_quote($name) . ' => (.*?) => /m', $shown, $match) === 1, "phpinfo() shows $name");
}
check(str_contains($shown, 'redis://127.0.0.1:6379'), 'and where the servers are');
same(true, version_compare((string) phpversion('redislock'), '0.0.1', '>='), 'the extension has a version');
done();
?>
--EXPECT--
16 checks passed
