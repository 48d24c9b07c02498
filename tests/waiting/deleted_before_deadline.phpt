--TEST--
Another library deletes its lock just before the deadline: the last try gets it
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$queue->redis->must('SET', lock_key('job'), 'somebody', 'PX', 60000);
$queue->redis->must('CONFIG', 'RESETSTAT');
// Too short for a poke: only the last try can find out.
$line = $queue->line(['w1'], wait: 0.8, hold: 0.5);
$queue->redis->must('DEL', lock_key('job'));
wait_until(fn () => file_exists($queue->history), 'it got the lock');
same(0, $queue->redis->calls()['rpush'] ?? 0, 'and nobody had woken it');
$got = $line['w1']->hear();
between(0.8, 30.0, $got['waited'], 'at the deadline');
same(true, $got['released'], 'and it was its lock');
done();
?>
--EXPECT--
3 checks passed
