--TEST--
A late duplicate of a release cannot free a later acquisition with the same token
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$lock = $proxy->client(timeout: 0.5)->lock('job', 60.0);
check($lock->acquire(0.0, 'owner') > 0, 'acquired with a token of the caller');
$proxy->onCommand('release', 'hold');
same(true, $lock->release(), 'the repeat gave it back');
$again = $server->client(prefix())->lock('job', 60.0);
$fence = $again->acquire(0.0, 'owner');
check($fence > $lock->fence(), 'acquired anew, with the same token');
$before = lock_state('job', $redis);
same(1, $proxy->release(), 'the first release is late');
$proxy->waitAnswered('release', 2);
same($before, lock_state('job', $redis), 'and frees nothing: it names the fence');
same(true, $again->renew(), 'the later one goes on');

// Also what an object gives back at its end.
$lock = $proxy->client(timeout: 0.5)->lock('other', 60.0);
$lock->acquire(0.0, 'owner');
$proxy->onCommand('release', 'hold');
unset($lock);
$proxy->waitHeld(1);
$redis->must('DEL', lock_key('other'));
$again = $server->client(prefix())->lock('other', 60.0);
check($again->acquire(0.0, 'owner') > 0, 'acquired by somebody with the same token');
$before = lock_state('other', $redis);
$proxy->release();
$proxy->waitAnswered('release', 3);
same($before, lock_state('other', $redis), 'the automatic release of the earlier one frees nothing');
done();
?>
--EXPECT--
8 checks passed
