--TEST--
renew() after the lease ended, with nobody else there, is false and creates nothing
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
$client = $server->client(prefix());
$lock = $client->lock('job', 0.5);
$lock->acquire(10.0);
$token = $lock->token();
wait_until_free('job', $redis);
$fence = $redis->must('GET', fence_key('job'));
$keys = $redis->must('KEYS', '*');
same([fence_key('job')], $keys, 'only the fence key is left');

same(false, $lock->renew(), 'renew() is false');
same(false, $lock->renew(60.0), 'also with a longer lease');
same(false, $client->renew('job', $token, 60.0), 'also by the token');
same(false, $client->renew('never heard of', 'x', 60.0), 'also for a name that never was');
same($keys, $redis->must('KEYS', '*'), 'nothing was created');
same($fence, $redis->must('GET', fence_key('job')), 'the fence is as before');
same(false, $lock->isHeld(), 'it is not held');
same(false, $lock->release(), 'and there is nothing to release');

// The same while the object still believes in its lease.
$lock = $client->lock('job', 60.0);
$lock->acquire();
$redis->must('DEL', lock_key('job'));
same(true, $lock->isHeld(), 'the object believes in its lease');
same(false, $lock->renew(), 'renew() is false');
same(false, $lock->isHeld(), 'and the object knows now');
same(0.0, $lock->remaining(), 'no lease is left');
same($keys, $redis->must('KEYS', '*'), 'nothing was created');
done();
?>
--EXPECT--
14 checks passed
