--TEST--
An administrator deletes the lock, or everything, while three wait: they are served in order
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$deeds = [
	'DEL' => fn (Queue $queue) => $queue->redis->must('DEL', lock_key('job')),
	'FLUSHALL' => fn (Queue $queue) => $queue->redis->must('FLUSHALL'),
	'forceRelease()' => fn (Queue $queue) => $queue->server->client(prefix())->forceRelease('job'),
];
foreach ($deeds as $name => $deed) {
	$queue = new Queue();
	$holder = $queue->server->client(prefix())->lock('job', 60.0);
	$fence = $holder->acquire();
	$line = $queue->line(['w1', 'w2', 'w3']);
	$deed($queue);
	$queue->checkServed($line);
	same(['w1', 'w2', 'w3'], check_history($queue->history, fence: $fence), "$name: in the order of arrival");
	same(false, $holder->renew(), "$name: renew() of the one who had it");
	same(false, $holder->release(), "$name: and its release()");
}
done();
?>
--EXPECT--
33 checks passed
