--TEST--
Full memory during a wait: a held lock is contention, and a free one the error of the server
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue(['maxmemory-policy' => 'noeviction']);
$memory = fn (string $limit) => $queue->redis->must('CONFIG', 'SET', 'maxmemory', $limit);
$client = $queue->server->client(prefix());
$holder = $client->lock('job', 60.0);
$fence = $holder->acquire();
$memory('1');
same(null, $client->lock('job')->acquire(), 'held: null at once');
same(null, $client->lock('job')->acquire(1.5), 'held: null at the end of a wait');
same(true, $holder->renew(), 'the holder can renew');

// Begun before, gone through it.
$memory('0');
$line = $queue->line(['w1', 'w2']);
$memory('1');
usleep(1_500_000);
$memory('0');
same(true, $holder->release(), 'the holder gives it back');
$queue->checkServed($line);
same(['w1', 'w2'], check_history($queue->history, fence: $fence), 'those who waited meanwhile are served');

// Begun and released under it: nothing can be reserved for anybody, and nothing can be taken.
check($holder->acquire(60.0) > 0, 'the lock is taken again');
$memory('1');
$line = $queue->line(['w3']);
same(true, $holder->release(), 'release() works');
same(null, $queue->holder(), 'it frees the lock');
$got = $line['w3']->hear();
check(str_starts_with($got['thrown'] ?? '', 'RedisLock\ServerException') && str_contains($got['thrown'], 'OOM'), 'the waiter is told', got: $got);
$line['w3']->end();
$memory('0');
check($holder->acquire() > 0, 'with memory it goes on');
done();
?>
--EXPECT--
16 checks passed
