--TEST--
The second connection of a waiter is dead, or answers nonsense: it keeps its place on the first one
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/waiting.inc';

$cases = [
	'swallowed' => fn (FaultProxy $proxy) => $proxy->onCommand('poke', 'swallow', times: 2),
	'cut' => fn (FaultProxy $proxy) => $proxy->onReply('poke', 'cut', times: 2),
	'nonsense' => fn (FaultProxy $proxy) => $proxy->onReply('poke', 'replace', times: 2, bytes: "+OK\r\n"),
	'an error' => fn (FaultProxy $proxy) => $proxy->onReply('poke', 'replace', times: 2, bytes: "-OOPS no\r\n"),
];
foreach ($cases as $case => $break) {
	$queue = new Queue();
	$proxy = FaultProxy::before($queue->server);
	$queue->redis->must('CONFIG', 'RESETSTAT');
	$holder = $queue->server->client(prefix())->lock('job', 60.0);
	$fence = $holder->acquire();
	$line = $queue->line(['w1'], client: ['servers' => $proxy->dsn(), 'timeout' => 0.3]);
	$break($proxy);
	$proxy->waitArrived('poke', 2);
	$line += $queue->line(['w2']);
	same(2, $queue->blpops(), "$case: both block for the first time");
	same(true, $holder->release(), "$case: the holder gives it back");
	$queue->checkServed($line);
	same(['w1', 'w2'], check_history($queue->history, fence: $fence), "$case: served in the order of arrival");
}
done();
?>
--EXPECT--
36 checks passed
