--TEST--
A lock without a time to live that somebody else set is contention, not an acquisition
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$client = $queue->server->client(prefix());
$queue->redis->must('SET', lock_key('job'), 'somebody');
same(null, $client->lock('job')->acquire(), 'null at once');
same(null, $client->lock('job')->acquire(1.5), 'null at the end of a wait');
same('somebody', $queue->holder(), 'it still has it');
same(-1, $queue->redis->must('PTTL', lock_key('job')), 'for ever');
$line = $queue->line(['w1', 'w2']);
$queue->redis->must('DEL', lock_key('job'));
$queue->checkServed($line);
same(['w1', 'w2'], check_history($queue->history), 'when it is deleted those who wait are served');
done();
?>
--EXPECT--
11 checks passed
