--TEST--
Which leases are accepted, before anything is sent
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

// Nobody listens there: an argument that got as far as the network would be a ConnectionException.
$nobody = new RedisLock\Client('unix:///nonexistent/redis.sock', 'test:');

same(0.01, RedisLock::MIN_TTL, 'MIN_TTL');
same(2678400.0, RedisLock::MAX_TTL, 'MAX_TTL');
$bad = [0.0, -0.0, -1.0, -0.01, NAN, INF, -INF, 0.0004, 0.0099, 0.00999, 31 * 86400 + 0.001, 1e10, 1e300, PHP_INT_MAX, PHP_FLOAT_MIN, 0, -5];
foreach ($bad as $ttl) {
	throws(ValueError::class, fn () => new RedisLock('job', $ttl), 'constructor: ' . number($ttl), 'ttl');
	throws(ValueError::class, fn () => new RedisLock('job', $ttl, $nobody), 'constructor with a client: ' . number($ttl), 'ttl');
	throws(ValueError::class, fn () => $nobody->lock('job', $ttl), 'Client::lock(): ' . number($ttl), 'ttl');
	throws(ValueError::class, fn () => $nobody->renew('job', 'token', $ttl), 'Client::renew(): ' . number($ttl), 'ttl');
	throws(ValueError::class, fn () => $nobody->lock('job')->renew($ttl), 'renew(): ' . number($ttl), 'ttl');
}
$good = [0.01, 0.0100001, 0.5, 1.0, 30.0, 2678399.9999, 2678400.0, 1, 60, '30', '0.5'];
foreach ($good as $ttl) {
	same((float) $ttl, (new RedisLock('job', $ttl))->ttl, "constructor: $ttl");
	same((float) $ttl, $nobody->lock('job', $ttl)->ttl, "Client::lock(): $ttl");
	throws(RedisLock\ConnectionException::class, fn () => $nobody->renew('job', 'token', $ttl), "Client::renew(): $ttl");
	throws(RedisLock\ConnectionException::class, fn () => $nobody->lock('job', $ttl)->acquire(), "acquire(): $ttl");
}

// A lease that is held is not disturbed by a call with a bad argument.
$lock = client()->lock('job', 30.0);
$lock->acquire();
$before = lock_state('job');
foreach ($bad as $ttl) {
	throws(ValueError::class, fn () => $lock->renew($ttl), 'renew() of a held lock: ' . number($ttl));
}
same($before, lock_state('job'), 'nothing changed in Redis');
same(true, $lock->isHeld(), 'it is still held');
same(true, $lock->release(), 'and can be released');
done();
?>
--EXPECT--
151 checks passed
