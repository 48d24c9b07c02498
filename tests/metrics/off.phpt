--TEST--
redislock.stats and redislock.stats_groups: off, on, and only for the whole process
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';

$use = '$lock = client()->lock("group:job", 60.0); $lock->acquire(); $lock->renew(); $lock->release();
	echo json_encode([RedisLock::stats(), RedisLock::metrics()]);';
$keys = array_keys(RedisLock::stats());
$ran = run_php($use, ['redislock.stats' => '0']);
[$stats, $text] = json_decode($ran['output'], true);
same([0, $keys, ''], [$ran['status'], array_keys($stats), $text], 'off: locks work, stats() looks the same, and there are no metrics');
same([], array_filter(counters($stats)), 'and nothing is counted');
check(str_contains(run_php('phpinfo();', ['redislock.stats' => '0'])['output'], "Counters => off (redislock.stats)\n"), 'phpinfo() says so');

[$stats, $text] = json_decode(run_php($use)['output'], true);
same([1, false], [$stats['acquired'], isset($stats['groups'])], 'by default: counted, not by group');
check(str_contains($text, "\nredislock_acquired_total 1\n") && !str_contains($text, 'group='), 'and without that label', text: substr($text, 0, 400));
[$stats, $text] = json_decode(run_php($use, ['redislock.stats_groups' => '1'])['output'], true);
same([1, 1, 0], [$stats['acquired'], $stats['groups']['group']['acquired'], $stats['groups']['other']['acquired']], 'by group');
check(str_contains($text, "\nredislock_acquired_total{group=\"group\"} 1\n"), 'with that label');

foreach (['redislock.stats' => '1', 'redislock.stats_groups' => '0'] as $name => $value) {
	same([$value, false], [ini_get($name), @ini_set($name, $value === '1' ? '0' : '1')], "$name: its default, and a script cannot change it");
}
same([0, 0], [(new ReflectionMethod('RedisLock', 'stats'))->getNumberOfParameters(), (new ReflectionMethod('RedisLock', 'metrics'))->getNumberOfParameters()], 'no arguments');
throws(ArgumentCountError::class, fn () => RedisLock::stats(1), 'stats() takes none');
throws(ArgumentCountError::class, fn () => RedisLock::metrics(1), 'metrics() takes none');
done();
?>
--EXPECT--
12 checks passed
