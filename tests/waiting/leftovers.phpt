--TEST--
After the last waiter is gone nothing but the fence key is left, however it went
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$client = $queue->server->client(prefix());
$sides = [side_key(lock_key('job'), 'wait'), side_key(lock_key('job'), 'wake')];
$bounded = function (string $case) use ($queue, $sides): void {
	between(-2, 2500, $queue->redis->must('PTTL', $sides[0]), "$case: the wait flag ends by itself");
	between(-2, 500, $queue->redis->must('PTTL', $sides[1]), "$case: so does the wake list");
	check(!in_array(-1, array_map(fn (string $key) => $queue->redis->must('PTTL', $key), $queue->keys()), true), "$case: so does everything");
};
$clean = function (string $case) use ($queue): void {
	wait_until(fn () => count($queue->keys()) <= 1, "$case: all that ends by itself has ended");
	same([fence_key('job')], $queue->keys(), "$case: only the fence key is left");
};

$holder = $client->lock('job', 60.0);
$holder->acquire();
$line = $queue->line(['w1'], wait: 3.0);
same(null, $line['w1']->hear()['fence'], 'in vain');
$bounded('in vain');
$holder->release();
$bounded('in vain');
$clean('in vain');

$holder->acquire();
$line = $queue->line(['w2', 'w3']);
$bounded('served');
$holder->release();
$queue->checkServed($line);
$bounded('served');
$clean('served');

$holder->acquire();
$line = $queue->line(['w4', 'w5']);
$line['w4']->signal('STOP');
wait_until(fn () => $line['w4']->isStopped(), 'w4 is stopped');
$holder->release();
same(true, $queue->isPickedUp(), 'w4 was woken');
$bounded('killed');
foreach ($line as $worker) {
	$worker->signal('KILL');
	$worker->end();
}
$bounded('killed');
$clean('killed');

$holder->acquire();
$line = $queue->line(['w6'], before: 'pcntl_async_signals(true); pcntl_signal(SIGUSR1, fn () => throw new Exception("enough"));');
$line['w6']->signal('USR1');
same(['thrown' => 'Exception: enough'], $line['w6']->hear(), 'left by an exception');
$bounded('exception');
$holder->release();
$clean('exception');
done();
?>
--EXPECT--
32 checks passed
