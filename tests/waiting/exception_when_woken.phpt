--TEST--
A waiter leaves by an exception at the moment it is woken: its wake-up goes to the next one
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
// The handler does not return before the lock was handed over to the process it has interrupted.
$line = $queue->line(['w1'], before: <<<'PHP'
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, function () {
		tell('in the handler');
		hear();
		throw new Exception('enough');
	});
	PHP) + $queue->line(['w2', 'w3']);
$monitor = $queue->server->connect();
$monitor->must('MONITOR');
$line['w1']->signal('USR1');
same('in the handler', $line['w1']->hear(), 'w1 is interrupted');
same(true, $holder->release(), 'the holder gives it back');
same(true, $queue->isPickedUp(), 'w1 was woken');
$reservation = $queue->holder();
same(['thrown' => 'Exception: enough'], $line['w1']->ask('go on'), 'the exception comes out of acquire()');
$queue->checkServed(['w2' => $line['w2'], 'w3' => $line['w3']]);
same(['w2', 'w3'], check_history($queue->history, fence: $fence), 'the others are served in the order of arrival');
// It was passed on, and did not just end: the release of w1 names the reservation.
$queue->redis->must('PING', 'end of the story');
$passed = 0;
while (!str_contains($command = $monitor->read(), 'end of the story')) {
	$passed += preg_match('/ "EVAL" .*"' . preg_quote($reservation, '/') . '"$/', $command);
}
same(1, $passed, 'w1 has passed the wake-up on');
same(['output' => '', 'status' => 0], $line['w1']->end(), 'w1 ended well');
done();
?>
--EXPECT--
13 checks passed
