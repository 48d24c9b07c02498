--TEST--
A signal handler forks during a wait: parent and child are two waiters, and neither takes the other's place
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
// The child goes on in the same acquire(). It says nothing: the pipe belongs to its parent.
$waiter = new Worker(waiting_prelude() . <<<'PHP'
	[$dsn, $history] = $argument;
	$child = null;
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, function () use (&$child) { $child = pcntl_fork(); });
	$lock = (new RedisLock\Client($dsn, prefix()))->lock('job', 60.0);
	tell('begins');
	$fence = $lock->acquire(60.0);
	$who = $child === 0 ? 'child' : 'parent';
	if ($fence !== null) {
		enter($history, $who, $fence);
		usleep(200_000);
		leave($history, $who);
		$lock->release();
	}
	if ($child === 0) {
		exit($fence === null ? 1 : 0);
	}
	pcntl_waitpid($child, $status);
	tell(['fence' => $fence, 'child' => pcntl_wexitstatus($status)]);
	hear();
	PHP, [$queue->server->dsn(), $queue->history]);
same('begins', $waiter->hear(), 'the waiter begins');
$queue->waitForBlocked(1);
$waiter->signal('USR1');
$queue->waitForBlocked(2);
same(false, file_exists($queue->history), 'nobody got in');
same(true, $holder->release(), 'the holder gives it back');
$got = $waiter->hear();
check($got['fence'] > $fence && $got['child'] === 0, 'both got it', got: $got);
same(['parent', 'child'], check_history($queue->history, fence: $fence), 'one after the other: the parent has kept its place');
same(['output' => '', 'status' => 0], $waiter->end(), 'the parent ended well');
done();
?>
--EXPECT--
8 checks passed
