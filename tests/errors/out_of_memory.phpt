--TEST--
Full memory: acquire() is OOM; contention, renew() and release() work
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start(['maxmemory-policy' => 'noeviction']);
$redis = $server->connect();
$client = $server->client(prefix());
$lock = $client->lock('held', 60.0);
$fence = $lock->acquire();
$chosen = $client->lock('chosen', 60.0);
$chosen->acquire(0.0, 'mine');
$redis->must('CONFIG', 'SET', 'maxmemory', '1');
$refused = $redis->command('SET', 'x', 'y');
check($refused instanceof RespError && str_starts_with($refused->message, 'OOM'), 'the memory is full', reply: $refused);
$keys = $redis->must('DBSIZE');

server_error('OOM', fn () => $client->lock('free')->acquire(), 'acquire() of a free lock');
server_error('OOM', fn () => $client->lock('free')->acquire(0.05), 'acquire() with a wait');
server_error('OOM', fn () => $client->lock('free')->synchronized(fn () => print("called\n")), 'synchronized()');
server_error('OOM', fn () => $client->lock('held')->attach($lock->token()), 'attach(): a new fence cannot be stored');
same($keys, $redis->must('DBSIZE'), 'nothing was made');
same(null, $client->lock('held')->acquire(), 'contention is contention');
same(null, $client->lock('held')->acquire(0.05), 'also with a wait');
same($lock->token(), $client->inspect('held')['token'], 'inspect() works');

same(true, $lock->renew(120.0), 'renew() works');
between(90000, 120000, $redis->must('PTTL', lock_key('held')), 'and the key lives longer');
same(true, $client->renew('held', $lock->token(), 180.0), 'renew() by the token works');
same([true, $fence], [$lock->isHeld(), $lock->fence()], 'the lock is held as before');
same(true, $lock->release(), 'release() works');
same(0, $redis->must('EXISTS', lock_key('held')), 'and the lock is free');
same(false, $lock->release(), 'a second time it is false');
same(true, $chosen->release(), 'release() with a chosen token works');
$redis->must('CONFIG', 'SET', 'maxmemory', '0');
$lock->acquire();
$redis->must('CONFIG', 'SET', 'maxmemory', '1');
same(true, $client->forceRelease('held'), 'forceRelease() works');
same(0, $redis->must('EXISTS', lock_key('held')), 'and the lock is free');

$redis->must('CONFIG', 'SET', 'maxmemory', '0');
check($client->lock('free')->acquire() > 0, 'with memory everything works again');
done();
?>
--EXPECT--
24 checks passed
