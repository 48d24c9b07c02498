--TEST--
(c) The delayed acquire arrives after the user gave the lock back: its own release is behind it
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
$proxy->onCommand('acquire', 'hold');
$proxy->onCommand('release', 'hold');
$lock = $proxy->client(timeout: 0.5)->lock('job', 60.0);
$fence = $lock->acquire();
check($fence > 0, 'the repeat won');
same(true, $lock->release(), 'and was given back');
same(0, $redis->must('EXISTS', lock_key('job')), 'free');

$firstToken = arguments_of($proxy->log()[0])[0];
$proxy->release(1);
$proxy->waitAnswered('acquire', 2);
same($firstToken, $redis->must('GET', lock_key('job')), 'the delayed acquire takes the lock for nobody');
same(false, $lock->isHeld(), 'the object does not believe that it has it');
same(null, $server->client(prefix())->lock('job')->acquire(), 'another one is told that it is held');
$proxy->release(1);
$proxy->waitAnswered('release', 2);
same(0, $redis->must('EXISTS', lock_key('job')), 'the release behind it frees it at once, and not the end of its lease');
$next = $server->client(prefix())->lock('job');
check($next->acquire() > $fence, 'the next one gets it, with a larger fence');

// The other order: the next holder is there when the delayed acquire arrives.
$next->release();
$proxy->forget();
$proxy->onCommand('acquire', 'hold');
$proxy->onCommand('release', 'hold');
check($lock->acquire() > 0, 'again the repeat won');
same(true, $lock->release(), 'and was given back');
$fence = $next->acquire();
$before = lock_state('job', $redis);
same(2, $proxy->release(), 'two are late');
$proxy->waitQuiet();
same($before, lock_state('job', $redis), 'neither does anything to the next holder');
same([true, $fence], [$next->isHeld(), $next->fence()], 'who does not notice');
done();
?>
--EXPECT--
13 checks passed
