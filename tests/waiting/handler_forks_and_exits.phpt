--TEST--
A signal handler forks during a wait and the child exits: the parent does not notice
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
$line = $queue->line(['w1'], before: <<<'PHP'
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, function () {
		$child = pcntl_fork();
		if ($child === 0) {
			exit(7);
		}
		pcntl_waitpid($child, $status);
		tell(pcntl_wexitstatus($status));
	});
	PHP) + $queue->line(['w2']);
$queue->redis->must('CONFIG', 'RESETSTAT');
foreach ([1, 2, 3] as $round) {
	$line['w1']->signal('USR1');
	same(7, $line['w1']->hear(), "round $round: the child ends well");
}
same(2, $queue->blocked(), 'both waiters are still blocked');
same(0, $queue->redis->calls()['blpop'] ?? 0, 'neither had to block again');
same(true, $holder->release(), 'the holder gives it back');
$queue->checkServed($line);
same(['w1', 'w2'], check_history($queue->history, fence: $fence), 'w1 has kept its place');
done();
?>
--EXPECT--
13 checks passed
