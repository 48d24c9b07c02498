--TEST--
The server restarts while three wait: they come back, and the fences go on growing
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

foreach (['no' => 'it has forgotten the lock', 'yes' => 'it remembers the lock'] as $append => $case) {
	$queue = new Queue(['appendonly' => $append, 'appendfsync' => 'always']);
	$holder = $queue->server->client(prefix())->lock('job', 60.0);
	$fence = $holder->acquire();
	$line = $queue->line(['w1', 'w2', 'w3']);
	$queue->server->restart();
	same($append === 'yes', $holder->renew(), "$case: renew() of the holder");
	if ($append === 'yes') {
		$queue->reconnect();
		$queue->waitForBlocked(3);
		same(false, file_exists($queue->history), "$case: nobody got in");
		same(true, $holder->release(), "$case: the holder gives it back");
	}
	$queue->checkServed($line);
	$order = check_history($queue->history, fence: $fence);
	sort($order);
	same(['w1', 'w2', 'w3'], $order, "$case: each of them was inside once");
}
done();
?>
--EXPECT--
22 checks passed
