--TEST--
Waiters with the same token of their own exclude each other
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
$fence = $holder->acquire(0.0, 'shared');
$workers = [];
foreach (['w1', 'w2', 'w3'] as $i => $who) {
	$workers[$who] = new Worker(waiting_prelude() . <<<'PHP'
		[$dsn, $history, $who] = $argument;
		$lock = (new RedisLock\Client($dsn, prefix()))->lock('job', 60.0);
		$fence = $lock->acquire(60.0, 'shared');
		enter($history, $who, $fence);
		usleep(50_000);
		leave($history, $who);
		tell(['fence' => $fence, 'token' => $lock->token(), 'released' => $lock->release()]);
		hear();
		PHP, [$queue->server->dsn(), $queue->history, $who]);
	$queue->waitForBlocked($i + 1);
}
same('shared', $queue->holder(), 'the holder has it');
same(true, $holder->release(), 'and gives it back');
foreach ($workers as $who => $worker) {
	$got = $worker->hear();
	same(['shared', true], [$got['token'], $got['released']], "$who had it and gave it back");
}
same(['w1', 'w2', 'w3'], check_history($queue->history, fence: $fence), 'one after the other, in the order of arrival');
done();
?>
--EXPECT--
8 checks passed
