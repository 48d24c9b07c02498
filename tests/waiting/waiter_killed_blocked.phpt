--TEST--
A waiter that is killed while it is blocked is out of the queue
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
$line = $queue->line(['w1', 'w2', 'w3', 'w4']);
foreach (['w1', 'w3'] as $name) {
	$line[$name]->signal('KILL');
	same(128 + 9, $line[$name]->end()['status'], "$name is killed");
}
$queue->waitForBlocked(2);
same(true, $holder->release(), 'the holder gives it back');
unset($line['w1'], $line['w3']);
$queue->checkServed($line);
same(['w2', 'w4'], check_history($queue->history, fence: $fence), 'the others are served in the order of arrival');
done();
?>
--EXPECT--
10 checks passed
