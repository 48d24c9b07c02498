--TEST--
A waiter is stopped as it is woken: the others are served, and it goes on waiting when it continues
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
$line = $queue->line(['w1', 'w2']);
$line['w1']->signal('STOP');
wait_until(fn () => $line['w1']->isStopped(), 'w1 is stopped');
same(true, $holder->release(), 'the holder gives it back');
same(true, $queue->isPickedUp(), 'w1 was woken');

// Somebody else takes the lock as the reservation ends; w1 wakes up with a reservation that is over.
$queue->checkServed(['w2' => $line['w2']]);
$other = $queue->server->client(prefix())->lock('job', 60.0);
$second = $other->acquire(60.0);
check($second > $fence, 'the lock is taken again', fence: $second);
$token = $other->token();
$line['w1']->signal('CONT');
$queue->waitForBlocked(1);
same($token, $queue->holder(), 'w1 has not taken it from its holder');
same(['w2'], check_history($queue->history, fence: $fence), 'only w2 was inside so far');
same(true, $other->release(), 'the holder gives it back');
$queue->checkServed(['w1' => $line['w1']]);
same(['w2', 'w1'], check_history($queue->history, fence: $fence), 'now w1 was, too');
done();
?>
--EXPECT--
15 checks passed
