--TEST--
A stopped waiter's reservation has ended and was made again for another: both exclude each other
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
$line = $queue->line(['w1', 'w2', 'w3'], hold: 0.2);
foreach (['w1', 'w2'] as $name) {
	$line[$name]->signal('STOP');
	wait_until(fn () => $line[$name]->isStopped(), "$name is stopped");
}
same(true, $holder->release(), 'the holder gives it back');
$first = $queue->holder();
same(true, $queue->isPickedUp(), 'w1 was woken');
$queue->server->signal('STOP');
usleep(700_000);
$queue->server->signal('CONT');
// The reservation of w1 has ended. Nobody had the lock since, so a poke makes one with the same number, for w2.
foreach (['w1', 'w2'] as $name) {
	$line[$name]->signal('CONT');
}
$queue->checkServed($line);
$order = check_history($queue->history, fence: $fence);
sort($order);
same(['w1', 'w2', 'w3'], $order, 'each of them was inside once');
done();
?>
--EXPECT--
11 checks passed
