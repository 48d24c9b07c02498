--TEST--
Which waits are accepted, before anything is sent
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
$lock = $server->client()->lock('job', 30.0);
same(86400.0, RedisLock::MAX_WAIT, 'MAX_WAIT');
foreach ([-1.0, -0.0001, -PHP_FLOAT_MIN, NAN, INF, -INF, 86400.001, 31 * 86400 + 0.001, 1e300, -1, PHP_INT_MAX] as $wait) {
	throws(ValueError::class, fn () => $lock->acquire($wait), 'acquire(): ' . number($wait), 'wait');
	throws(ValueError::class, fn () => $lock->synchronized(fn () => print("called\n"), $wait), 'synchronized(): ' . number($wait), 'wait');
}
same([], array_diff_key($redis->calls(), ['ping' => 1]), 'nothing was sent');
same([], $redis->must('KEYS', '*'), 'nothing was taken');
foreach ([0, 0.0, -0.0, 0.0001, 1, 86400, 86400.0, '1.5'] as $wait) {
	check($lock->acquire($wait) > 0, "acquire(): $wait");
	same(true, $lock->release(), "release() after $wait");
	same('done', $lock->synchronized(fn () => 'done', $wait), "synchronized(): $wait");
}
done();
?>
--EXPECT--
49 checks passed
