--TEST--
CLIENT UNBLOCK of a waiter does not end its wait
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$fence = $holder->acquire();
$line = $queue->line(['w1']);
foreach (['TIMEOUT', 'ERROR'] as $round => $how) {
	preg_match('/^id=(\d+) .* cmd=blpop /m', $queue->redis->must('CLIENT', 'LIST'), $found);
	same(1, $queue->redis->must('CLIENT', 'UNBLOCK', $found[1], $how), "unblocked with $how");
	wait_until(fn () => $queue->blpops() === $round + 2, 'it blocks again');
	$queue->waitForBlocked(1);
}
same(true, $holder->release(), 'the holder gives it back');
$queue->checkServed($line);
same(['w1'], check_history($queue->history, fence: $fence), 'it was inside');
done();
?>
--EXPECT--
8 checks passed
