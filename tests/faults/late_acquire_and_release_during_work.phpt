--TEST--
(a) The delayed acquire and the release behind it arrive while the user works on what the repeat won
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
$proxy->onCommand('acquire', 'hold');
$proxy->onCommand('release', 'hold');
$lock = $proxy->client(timeout: 0.5)->lock('job', 60.0);
$fence = $lock->acquire();
check($fence > 0, 'the repeat won');
same(['acquire', 'release', 'acquire'], $proxy->names(), 'the release of the first send was written before the repeat');
[$first, $release, $second] = $proxy->log();
check($first['link'] === $release['link'], 'behind it, on its connection');
check($first['link'] !== $second['link'], 'the repeat has a connection of its own');
$firstToken = arguments_of($first)[0];
check($firstToken !== $lock->token(), 'each send has a token of its own');
same($lock->token(), arguments_of($second)[0], 'the lock has that of the repeat');
same($firstToken, arguments_of($release)[0], 'the release is of the first send');
check(in_array($firstToken, arguments_of($second), true), 'the repeat names the first send');

$before = lock_state('job', $redis);
$proxy->release(1);
$proxy->waitAnswered('acquire', 2);
same($before, lock_state('job', $redis), 'the delayed acquire changes nothing');
$proxy->release(1);
$proxy->waitAnswered('release', 1);
same($before, lock_state('job', $redis), 'nor does the release behind it');
same(true, $lock->isHeld(), 'the user works on');
same(true, $lock->renew(), 'and renews');
same(true, $lock->release(), 'and gives it back');
same(0, $redis->must('EXISTS', lock_key('job')), 'nothing is left');
same("$fence", $redis->must('GET', fence_key('job')), 'no other fence was handed out');
done();
?>
--EXPECT--
15 checks passed
