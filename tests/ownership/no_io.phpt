--TEST--
isHeld(), remaining(), fence() and token() send nothing
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
$lock = $server->client()->lock('job', 60.0);
$lock->acquire();
$redis->must('CONFIG', 'RESETSTAT');
for ($i = 0; $i < 100; $i++) {
	$lock->isHeld();
	$lock->remaining();
	$lock->fence();
	$lock->token();
}
same([], $redis->calls(), 'no command reached the server');
$server->kill();
same(true, $lock->isHeld(), 'they work without a server too');
check($lock->remaining() > 0.0 && $lock->fence() > 0 && $lock->token() !== null, 'all of them');
$token = $lock->detach();
check(strlen($token) === 32, 'so does detach()');
done();
?>
--EXPECT--
4 checks passed
