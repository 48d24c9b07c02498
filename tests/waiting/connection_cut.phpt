--TEST--
The connections of waiters are cut again and again: they come back and are served
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
$line = $queue->line(['w1', 'w2', 'w3']);
for ($round = 1; $round <= 5; $round++) {
	$cut = $queue->blockedIds();
	check($queue->redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes') >= 3, "round $round: all connections are closed");
	wait_until(fn () => count(array_diff($queue->blockedIds(), $cut)) === 3, "round $round: they wait again");
	$queue->waitForBlocked(3);
}
same(true, $holder->isHeld(), 'the holder still has it');
same(true, $holder->release(), 'and gives it back');
$queue->checkServed($line);
$order = check_history($queue->history, fence: $fence);
sort($order);
same(['w1', 'w2', 'w3'], $order, 'each of them was inside once');
done();
?>
--EXPECT--
16 checks passed
