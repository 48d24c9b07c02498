--TEST--
A reservation that nobody picks up never makes a free lock look held; one that is picked up does
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$client = $queue->server->client(prefix());
$holder = $client->lock('job', 60.0);
$fence = $holder->acquire();
// A wait flag that nobody stands behind any more.
same(null, $client->lock('job')->acquire(0.05), 'a waiter has been there');
same(true, $holder->release(), 'released');
check(str_starts_with((string) $queue->holder(), 'handoff:'), 'the lock is reserved for nobody');
same(false, $client->inspect('job')['held'], 'inspect() calls it free');
$second = $client->lock('job', 60.0);
check($second->acquire() > $fence, 'acquire() without a wait gets it');
same(0, $queue->redis->must('EXISTS', side_key(lock_key('job'), 'wake')), 'and takes the wake-up away, which would be for nobody');
same(true, $second->release(), 'released');
check($second->acquire(60.0) > $fence, 'so does one that would wait');

// One that was picked up: its waiter is on its way, and was there first.
$line = $queue->line(['w1']);
$line['w1']->signal('STOP');
wait_until(fn () => $line['w1']->isStopped(), 'w1 is stopped');
same(true, $second->release(), 'released');
$reserved = $queue->isPickedUp();
$seen = $client->lock('job')->acquire();
same([true, null], [$reserved, $seen], 'acquire() without a wait does not get it');
$line['w1']->signal('CONT');
$queue->checkServed($line);
done();
?>
--EXPECT--
12 checks passed
