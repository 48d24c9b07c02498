--TEST--
acquire() without a wait never blocks, and leaves nothing behind
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$client = $queue->server->client(prefix());
$holder = $client->lock('job', 60.0);
$holder->acquire();
$lock = $client->lock('job');
$lock->acquire();
$keys = $queue->keys();
$queue->redis->must('CONFIG', 'RESETSTAT');
for ($i = 0; $i < 100; $i++) {
	same(null, $lock->acquire(), 'held: null');
}
throws(RedisLock\NotAcquiredException::class, fn () => $lock->synchronized(fn () => 0), 'synchronized()');
same(101, $queue->commands(), 'one command each');
same(0, $queue->redis->calls()['blpop'] ?? 0, 'no BLPOP');
same($keys, $queue->keys(), 'no wait flag, nothing');
$holder->release();
same(null, $queue->holder(), 'and the release reserves the lock for nobody');
done();
?>
--EXPECT--
105 checks passed
