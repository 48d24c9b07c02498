--TEST--
phpinfo(): versions, settings and counters
--EXTENSIONS--
redislock
--INI--
redislock.stats_groups=1
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';

client()->lock("<script>alert(1)</script>:1", 60.0)->synchronized(fn () => client()->lock("<script>alert(1)</script>:1")->acquire());
client()->lock("job:1", 60.0)->synchronized(fn () => true);
ob_start();
phpinfo(INFO_MODULES);
preg_match('/^redislock\n(.*?)\n\n[a-zA-Z_]+\n\n/ms', ob_get_clean() . "\n\nend\n\n", $found);
$shown = $found[1];
check(str_contains($shown, 'Version => ' . phpversion('redislock') . "\n"), 'the version', shown: $shown);
check(preg_match('/^hiredis \(compiled with\) => \d+\.\d+\.\d+$/m', $shown) === 1, 'the version of its header', shown: $shown);
check(preg_match('/^hiredis \(loaded\) => (.+)$/m', $shown, $library) === 1, 'the library', shown: $shown);
check(is_file($library[1]) && str_contains($library[1], 'hiredis') && str_contains(file_get_contents('/proc/self/maps'), $library[1]), 'which is loaded', library: $library[1]);
check(preg_match('/^TLS \(rediss:\/\/\) => .+$/m', $shown) === 1, 'TLS');
foreach (counters(RedisLock::stats()) as $name => $value) {
	$name = preg_replace('/^errors (.*)$/', 'errors ($1)', $name);
	check(str_contains($shown, "\n$name => $value\n"), "the counter $name", shown: $shown);
}
check(str_contains($shown, "\njob => 1 => 1 => 0 => 0 => 0 => 0\n") && str_contains($shown, "\n<script>alert(1)</script> => 2 => 1 => 1 => 0 => 0 => 0\n"), 'the groups', shown: $shown);
foreach (ini_get_all('redislock', false) as $name => $value) {
	check(str_contains($shown, "\n$name => "), "the setting $name");
}
done();
?>
--EXPECT--
43 checks passed
