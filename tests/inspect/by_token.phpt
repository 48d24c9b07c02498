--TEST--
Client::release() and Client::renew() work for a holder that is elsewhere
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
$holder = $server->client(prefix())->lock('job', 30.0);
$fence = $holder->acquire();
$token = $holder->token();

$before = lock_state('job', $redis);
same(true, $client->renew('job', $token, 1.0), 'a shorter lease');
same($before, lock_state('job', $redis), 'shortens nothing');
same(true, $client->renew('job', $token, 90.0), 'a longer one');
between(60000, 90000, $redis->must('PTTL', lock_key('job')), 'lengthens it');
$before = lock_state('job', $redis);
same(false, $client->renew('job', 'other', 900.0), 'not by another token');
same(false, $client->release('job', 'other'), 'nor can that release');
same(false, $client->release('other', $token), 'nor this token another name');
same($before, lock_state('job', $redis), 'which changed nothing');

$redis->must('CONFIG', 'RESETSTAT');
same(true, $client->renew('job', $token, 91.0), 'renew()');
same(1, $redis->calls()['evalsha'] ?? 0, 'is one command');
$redis->must('CONFIG', 'RESETSTAT');
same(true, $client->release('job', $token), 'release()');
same([1, 0], [$redis->calls()['evalsha'] ?? 0, $redis->calls()['eval'] ?? 0], 'is one command, too');
same(0, $redis->must('EXISTS', lock_key('job')), 'the lock is free');
same(false, $client->release('job', $token), 'a second time it is not held');
same(false, $client->renew('job', $token, 30.0), 'and cannot be renewed');
same([fence_key('job')], $redis->must('KEYS', '*'), 'nothing was created');
same(false, $holder->release(), 'the holder finds out');

foreach ([0.0, -1.0, NAN, INF, 0.0099, RedisLock::MAX_TTL + 0.001] as $ttl) {
	throws(ValueError::class, fn () => $client->renew('job', $token, $ttl), 'renew() with ' . number($ttl));
}
foreach (['', str_repeat('n', 1025)] as $name) {
	throws(ValueError::class, fn () => $client->release($name, $token), 'release(): length ' . strlen($name));
	throws(ValueError::class, fn () => $client->renew($name, $token, 1.0), 'renew(): length ' . strlen($name));
	throws(ValueError::class, fn () => $client->inspect($name), 'inspect(): length ' . strlen($name));
	throws(ValueError::class, fn () => $client->forceRelease($name), 'forceRelease(): length ' . strlen($name));
	throws(ValueError::class, fn () => $client->lock($name), 'lock(): length ' . strlen($name));
}
done();
?>
--EXPECT--
33 checks passed
