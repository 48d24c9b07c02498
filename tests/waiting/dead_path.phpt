--TEST--
The path of the blocked connection is dead and nobody is told: the waiter is served all the same
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/waiting.inc';

$cases = [
	'the server never hears of the BLPOP' => [fn (FaultProxy $proxy) => $proxy->onCommand('BLPOP', 'swallow'), 0],
	'the waiter never hears of its wake-up' => [fn (FaultProxy $proxy) => $proxy->onReply('BLPOP', 'swallow'), 1],
];
foreach ($cases as $case => [$break, $blocked]) {
	$queue = new Queue();
	$proxy = FaultProxy::before($queue->server);
	$holder = $queue->server->client(prefix())->lock('job', 60.0);
	$fence = $holder->acquire();
	$break($proxy);
	$waiter = $queue->waiter('w1', client: ['servers' => $proxy->dsn()]);
	$proxy->waitArrived('BLPOP', 1);
	$queue->waitForBlocked($blocked);
	$line = ['w1' => $waiter] + $queue->line(['w2']);
	same(true, $holder->release(), "$case: the holder gives it back");
	$queue->checkServed($line);
	$order = check_history($queue->history, fence: $fence);
	sort($order);
	same(['w1', 'w2'], $order, "$case: everybody was inside once");
}
done();
?>
--EXPECT--
16 checks passed
