--TEST--
A claim arrives when its reservation is over and somebody else holds the lock: it takes nothing away
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$proxy = FaultProxy::before($queue->server);
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$fence = $holder->acquire();
$line = $queue->line(['w1'], client: ['servers' => $proxy->dsn(), 'timeout' => 0.7]);
$proxy->onCommand('acquire', 'hold', contains: 'handoff:');
same(true, $holder->release(), 'the holder gives it back');
$proxy->waitHeld(1);
same(true, $queue->isPickedUp(), 'w1 was woken, and its claim is on its way');
$other = $queue->server->client(prefix())->lock('job', 60.0);
$second = $other->acquire(60.0);
check($second > $fence, 'somebody else gets the lock', fence: $second);
$before = lock_state('job', $queue->redis);
// It is sent again, and the release of the first one lies behind that on the same connection.
$proxy->waitArrived('release', 1);
$proxy->release();
$proxy->waitAnswered('release', 1);
same($before, lock_state('job', $queue->redis), 'the claim changes nothing');
same(true, $other->renew(), 'its holder has it');
same(false, file_exists($queue->history), 'w1 does not believe that it has it');
same(true, $other->release(), 'and gives it back');
$queue->checkServed($line);
same(['w1'], check_history($queue->history, fence: $second), 'then w1 gets it');
done();
?>
--EXPECT--
12 checks passed
