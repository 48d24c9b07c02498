--TEST--
A delayed attach arrives after its repeat: it makes no other fence, and takes nothing from anybody
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$client = $proxy->client(timeout: 0.5);
$direct = $server->client(prefix());

// While the new owner works.
$direct->lock('job', 60.0, false)->acquire(0.0, 'token');
$proxy->onCommand('attach', 'hold');
$lock = $client->lock('job', 60.0);
$fence = $lock->attach('token');
check($fence > 0, 'the repeat took it over');
$before = lock_state('job', $redis);
same("$fence", $before['fence'], 'with the fence that counts');
same(1, $proxy->release(), 'the first send is late');
$proxy->waitAnswered('attach', 2);
same($before, lock_state('job', $redis), 'it changes nothing');
same([true, true], [$lock->isHeld(), $lock->renew()], 'the owner works on');
same(true, $lock->release(), 'and gives it back');
same(0, $redis->must('EXISTS', lock_key('job')), 'it is free');

// After it was given back, and somebody else has it.
$direct->lock('job', 60.0, false)->acquire(0.0, 'token');
$proxy->forget();
$proxy->onCommand('attach', 'hold');
check($lock->attach('token') > $fence, 'the repeat took it over');
same(true, $lock->release(), 'and it was given back');
$next = $direct->lock('job', 60.0);
check($next->acquire() > $lock->fence(), 'somebody else has it');
$before = lock_state('job', $redis);
$proxy->release();
$proxy->waitAnswered('attach', 2);
same($before, lock_state('job', $redis), 'the late one does nothing to it');
same(true, $next->release(), 'and it is given back');

// After the next owner of the same token has taken it over: its release must not fail for that.
$direct->lock('job', 60.0, false)->acquire(0.0, 'token');
$proxy->forget();
$proxy->onCommand('attach', 'hold');
$first = $lock->attach('token');
check($first > 0, 'the repeat took it over');
$token = $lock->detach();
$second = $direct->lock('job', 60.0);
check($second->attach($token) > $first, 'and it was handed on');
$proxy->release();
$proxy->waitAnswered('attach', 2);
same(true, $second->isHeld(), 'the owner works on');
same(true, $second->renew(), 'and renews');
same(true, $second->release(), 'and gives it back');
same(0, $redis->must('EXISTS', lock_key('job')), 'it is free');
done();
?>
--EXPECT--
18 checks passed
