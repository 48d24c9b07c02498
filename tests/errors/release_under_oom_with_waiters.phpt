--TEST--
Full memory while somebody waits: release() still frees the lock
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start(['maxmemory-policy' => 'noeviction']);
$redis = $server->connect();
$client = $server->client(prefix());
foreach (['with a fence key', 'without a fence key'] as $case) {
	$lock = $client->lock('job', 60.0);
	$lock->acquire();
	$token = $lock->token();
	$redis->must('SET', side_key(lock_key('job'), 'wait'), '1', 'PX', 60000);
	$case === 'with a fence key' || $redis->must('DEL', fence_key('job'));
	$redis->must('CONFIG', 'SET', 'maxmemory', '1');
	same(true, $lock->release(), "$case: release()");
	check($redis->must('GET', lock_key('job')) !== $token, "$case: it is no longer held");
	same(false, $client->inspect('job')['held'], "$case: inspect() says so, too");
	$redis->must('CONFIG', 'SET', 'maxmemory', '0');
	$redis->must('FLUSHALL');
}
done();
?>
--EXPECT--
6 checks passed
