--TEST--
The connection breaks as the wake-up is on its way: the waiter comes back and is served
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
$proxy->onReply('BLPOP', 'cut');
$line = $queue->line(['w1'], client: ['servers' => $proxy->dsn()]) + $queue->line(['w2']);
same(true, $holder->release(), 'the holder gives it back');
$queue->checkServed($line);
$order = check_history($queue->history, fence: $fence);
sort($order);
same(['w1', 'w2'], $order, 'everybody was inside once');
done();
?>
--EXPECT--
8 checks passed
