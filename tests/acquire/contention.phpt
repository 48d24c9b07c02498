--TEST--
A lock that somebody else holds is null, within one round trip and without a trace
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
$holder = $server->client(prefix())->lock('busy', 30.0);
$fence = $holder->acquire();
$before = lock_state('busy', $redis);

$other = $server->client(prefix())->lock('busy', 30.0);
same(null, $other->acquire(), 'the first try, which may send the script');
$redis->must('CONFIG', 'RESETSTAT');
same(null, $other->acquire(), 'acquire() is null');
$calls = $redis->calls();
same(1, $calls['evalsha'] ?? 0, 'one command was sent');
same(0, $calls['eval'] ?? 0, 'and nothing beside it');

same(false, $other->isHeld(), 'it is not held');
same(null, $other->token(), 'it has no token');
same(null, $other->fence(), 'it has no fence');
same(0.0, $other->remaining(), 'it has no lease');
same(false, $other->release(), 'it has nothing to release');
same(false, $other->renew(), 'it has nothing to renew');
same($before, lock_state('busy', $redis), "the holder's key, lease and fence are as before");
same(true, $holder->isHeld(), 'the holder holds it');
same(true, $holder->release(), 'the holder gives it back');
check($other->acquire() > $fence, 'then the other one gets it');
$other->release();
done();
?>
--EXPECT--
14 checks passed
