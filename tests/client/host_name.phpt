--TEST--
A host name is looked up
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif.inc';
if (gethostbyname('localhost') !== '127.0.0.1') {
	echo 'skip localhost has no address here';
}
?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start(tcp: true);
foreach (["redis://localhost:$server->port", "redis://LOCALHOST:$server->port/2"] as $dsn) {
	$client = new RedisLock\Client($dsn, 'test:');
	$lock = $client->lock('job', 60.0);
	check($lock->acquire() > 0, 'acquired');
	same(true, $lock->release(), 'released');
}
$unknown = (new RedisLock\Client('redis://no-such-host.invalid', 'test:'))->lock('job');
throws(RedisLock\ConnectionException::class, fn () => $unknown->acquire(), 'a name that does not exist', 'no-such-host.invalid');
same(false, $unknown->isHeld(), 'is not held');
done();
?>
--EXPECT--
6 checks passed
