--TEST--
A server that cannot be reached is a ConnectionException
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$port = free_port();
$places = ['unix:///nonexistent/redis.sock', "redis://127.0.0.1:$port", 'redis://no-such-host.invalid:6379', 'unix://' . __FILE__];
foreach ($places as $dsn) {
	$client = new RedisLock\Client($dsn, 'test:', 1.0, 1.0, 0.2);
	$lock = $client->lock('job', 30.0);
	throws(RedisLock\ConnectionException::class, fn () => $lock->acquire(), "$dsn: acquire()");
	throws(RedisLock\ConnectionException::class, fn () => $lock->attach('token'), "$dsn: attach()");
	throws(RedisLock\ConnectionException::class, fn () => $lock->synchronized(fn () => print("called\n")), "$dsn: synchronized()");
	throws(RedisLock\ConnectionException::class, fn () => $client->inspect('job'), "$dsn: inspect()");
	throws(RedisLock\ConnectionException::class, fn () => $client->release('job', 'token'), "$dsn: Client::release()");
	throws(RedisLock\ConnectionException::class, fn () => $client->renew('job', 'token', 1.0), "$dsn: Client::renew()");
	throws(RedisLock\ConnectionException::class, fn () => $client->forceRelease('job'), "$dsn: forceRelease()");
	same(false, $lock->isHeld(), "$dsn: nothing is held");
	same(false, $lock->renew(), "$dsn: a lock that is not held is not renewed, which needs no server");
	same(false, $lock->release(), "$dsn: nor released");

	// The outage is not hidden behind a long wait.
	$begin = hrtime(true);
	throws(RedisLock\ConnectionException::class, fn () => $lock->acquire(3600.0), "$dsn: acquire() with a long wait");
	between(0.2, 60.0, (hrtime(true) - $begin) / 1e9, "$dsn: is tried again as long as retryFor says, and no longer");
}
// The message says where, for the operator who reads it.
throws(RedisLock\ConnectionException::class, fn () => (new RedisLock\Client("redis://127.0.0.1:$port"))->lock('job')->acquire(), 'the message', "127.0.0.1:$port");
throws(RedisLock\ConnectionException::class, fn () => (new RedisLock\Client('unix:///nonexistent/redis.sock'))->lock('job')->acquire(), 'the message', '/nonexistent/redis.sock');
done();
?>
--EXPECT--
50 checks passed
