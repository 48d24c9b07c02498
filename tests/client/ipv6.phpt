--TEST--
IPv6 addresses in brackets
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif.inc';
if (!@stream_socket_server('tcp://[::1]:0')) {
	echo 'skip no IPv6 on the loopback interface';
}
?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start(['bind' => '::1'], tcp: true);
foreach (["redis://[::1]:$server->port", "redis://[0:0:0:0:0:0:0:1]:$server->port/2", "redis://[::1]:$server->port/?db=1"] as $dsn) {
	$lock = (new RedisLock\Client($dsn, 'test:'))->lock('job', 60.0);
	check($lock->acquire() > 0, 'acquired');
	same(true, $lock->release(), 'released');
}
$port = free_port();
throws(RedisLock\ConnectionException::class, fn () => (new RedisLock\Client("redis://[::1]:$port"))->lock('job')->acquire(), 'nobody there', "[::1]:$port");
done();
?>
--EXPECT--
7 checks passed
