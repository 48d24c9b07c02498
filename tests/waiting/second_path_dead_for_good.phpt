--TEST--
The second connection of a waiter is never answered: it still finds out that the holder is gone
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/waiting.inc';

$cases = [
	'swallowed' => fn (FaultProxy $proxy) => $proxy->onCommand('poke', 'swallow', times: 0),
	'cut' => fn (FaultProxy $proxy) => $proxy->onReply('poke', 'cut', times: 0),
	'closed' => fn (FaultProxy $proxy) => $proxy->onCommand('poke', 'cut', times: 0),
	'an error' => fn (FaultProxy $proxy) => $proxy->onReply('poke', 'replace', times: 0, bytes: "-OOPS no\r\n"),
];
foreach ($cases as $case => $break) {
	$queue = new Queue();
	$proxy = FaultProxy::before($queue->server);
	$holder = $queue->server->client(prefix())->lock('job', 2.0);
	$fence = $holder->acquire();
	$holder->detach();
	$break($proxy);
	$waiter = $queue->waiter('w1', wait: 20.0, client: ['servers' => $proxy->dsn(), 'timeout' => 0.3]);
	$got = $waiter->hear();
	check($got['fence'] > $fence, "$case: it gets the lock", got: $got);
	between(0.0, 15.0, $got['waited'], "$case: before the end of its wait");
}
done();
?>
--EXPECT--
8 checks passed
