--TEST--
(b) A delayed acquire, or a delayed renew, of a short lease arrives after a renew to a long one
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
$lock = $proxy->client(timeout: 0.5)->lock('job', 20.0);
check($lock->acquire() > 0, 'the repeat won');
same(true, $lock->renew(3600.0), 'renewed to an hour');
$before = lock_state('job', $redis);
same(2, $proxy->release(), 'both are still held back');
$proxy->waitQuiet();
same(2, $proxy->count('acquire'), 'there were two acquires');
same($before, lock_state('job', $redis), 'the late acquire and its release shorten nothing and free nothing');
between(3000.0, 3600.0, $lock->remaining(), 'the lease is the long one');

// The same with a renewal that is delayed.
$proxy->forget();
$proxy->onCommand('renew', 'hold');
same(true, $lock->renew(4000.0), 'the repeat of the renewal was answered');
same(true, $lock->renew(8000.0), 'and then it was renewed for longer');
$before = lock_state('job', $redis);
same(1, $proxy->release(), 'the first renewal is still held back');
$proxy->waitAnswered('renew', 3);
same($before, lock_state('job', $redis), 'it shortens nothing');
same(true, $lock->release(), 'given back');
same(0, $redis->must('EXISTS', lock_key('job')), 'nothing is left');
done();
?>
--EXPECT--
12 checks passed
