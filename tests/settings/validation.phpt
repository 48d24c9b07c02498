--TEST--
Settings are checked when they are set
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$cases = [
	'redislock.connect_timeout' => ['good' => ['0.5', '2', '10.5', '0.001'], 'bad' => ['0', '-1', 'x', '', 'nan', 'inf', '1e400', '1s']],
	'redislock.timeout' => ['good' => ['0.5', '2', '10.5', '0.001'], 'bad' => ['0', '-1', 'x', '', 'nan', 'inf', '1e400', '1s']],
	'redislock.retry_for' => ['good' => ['0', '0.5', '10', '3600'], 'bad' => ['-1', 'x', '', 'nan', 'inf', '1e400']],
	'redislock.fence_retention' => ['good' => ['60', '600', '604800', '31536000'], 'bad' => ['-1', 'x', '', '0', '1e30']],
];
foreach ($cases as $name => ['good' => $good, 'bad' => $bad]) {
	foreach ($good as $value) {
		check(ini_set($name, $value) !== false && ini_get($name) === $value, "$name accepts $value");
	}
	$before = ini_get($name);
	foreach ($bad as $value) {
		same(false, @ini_set($name, $value), "$name refuses " . var_export($value, true));
		same($before, ini_get($name), "$name keeps what it was");
	}
	ini_restore($name);
}
foreach (['1', '0', 'on', 'off', 'yes', 'no', 'true', 'false'] as $value) {
	check(ini_set('redislock.persistent', $value) !== false, "redislock.persistent accepts $value");
}
foreach (['', 'app:', '{tag}:'] as $value) {
	check(ini_set('redislock.prefix', $value) !== false, "redislock.prefix accepts '$value'");
}
// A value that cannot be used in php.ini: PHP starts all the same, with the default.
foreach (['redislock.timeout' => '-5', 'redislock.fence_retention' => 'soon'] as $name => $value) {
	$ran = run_php("echo '<', ini_get('$name'), '>';", [$name => $value]);
	same(0, $ran['status'], "$name=$value: PHP starts");
	check(!str_contains($ran['output'], "<$value>"), "$name=$value: the value is not taken", output: $ran['output']);
}
// The same limits hold for a client.
foreach ([0.0, -1.0, NAN, INF, 1e300] as $seconds) {
	throws(ValueError::class, fn () => new RedisLock\Client(null, null, $seconds), 'connectTimeout of ' . number($seconds));
	throws(ValueError::class, fn () => new RedisLock\Client(null, null, null, $seconds), 'timeout of ' . number($seconds));
	if ($seconds !== 0.0) {
		throws(ValueError::class, fn () => new RedisLock\Client(null, null, null, null, $seconds), 'retryFor of ' . number($seconds));
	}
}
new RedisLock\Client(null, null, null, null, 0.0);
done();
?>
--EXPECT--
99 checks passed
