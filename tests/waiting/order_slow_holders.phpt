--TEST--
The order of arrival is kept behind holders that take longer than the wait flag lasts
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$fence = $holder->acquire();
$names = ['w1', 'w2', 'w3', 'w4', 'w5'];
$line = $queue->line($names, hold: 0.7);
$queue->redis->must('CONFIG', 'RESETSTAT');
usleep(2_700_000);
check($queue->redis->must('PTTL', side_key(lock_key('job'), 'wait')) > 0, 'the waiters keep the wait flag up');
same(0, $queue->redis->calls()['blpop'] ?? 0, 'and nobody gave up the place in the queue for that');
same(true, $holder->release(), 'the holder gives it back');
$queue->checkServed($line);
same($names, check_history($queue->history, fence: $fence), 'served in the order of arrival');
done();
?>
--EXPECT--
16 checks passed
