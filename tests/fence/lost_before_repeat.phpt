--TEST--
The fence key is lost between a send whose answer was lost and its repeat: the repeat has a larger fence
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

// All sends of a call were executed, and none was answered.
$proxy->onReply('acquire', 'cut', times: 2);
throws(RedisLock\UncertainException::class, fn () => $lock->acquire(), 'the outcome is unknown');
check($redis->must('GET', lock_key('job')) !== null, 'the lock was taken');
$first = (int) $redis->must('GET', fence_key('job'));
check($first > 0, 'and a fence was handed out, though nobody knows it');

same(1, $redis->must('DEL', fence_key('job')), 'the fence key is lost');
$second = $lock->acquire();
check($second > $first, 'the repeat finds its own lock, and has a new fence', first: $first, second: $second);
same([$lock->token(), (string) $second], [$redis->must('GET', lock_key('job')), $redis->must('GET', fence_key('job'))], 'as Redis has it');
between(30000, 60000, $redis->must('PTTL', lock_key('job')), 'with a lease of its own');
same(true, $lock->renew(), 'it can be renewed');
same(true, $lock->release(), 'and released');
$third = $lock->acquire();
check($third > $second, 'the next fence is larger', second: $second, third: $third);
$lock->release();
done();
?>
--EXPECT--
10 checks passed
