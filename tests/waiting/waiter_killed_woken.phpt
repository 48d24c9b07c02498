--TEST--
A waiter is killed between its wake-up and its claim: the next one gets the lock
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
// A stopped process is woken like any other: the server cannot know.
$line['w1']->signal('STOP');
wait_until(fn () => $line['w1']->isStopped(), 'w1 is stopped');
same(true, $holder->release(), 'the holder gives it back');
same(true, $queue->isPickedUp(), 'w1 was woken');
$line['w1']->signal('KILL');
same(128 + 9, $line['w1']->end()['status'], 'w1 is killed before it comes for the lock');
unset($line['w1']);
$queue->checkServed($line);
same(['w2', 'w3'], check_history($queue->history, fence: $fence), 'the others are served in the order of arrival');
done();
?>
--EXPECT--
10 checks passed
