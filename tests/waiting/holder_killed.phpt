--TEST--
A holder is killed while five wait: they get the lock as its lease ends, in the order of arrival
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$holder = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 2.5);
	tell($lock->acquire());
	while (hear() === 'renew') {
		tell($lock->renew());
	}
	PHP, $queue->server->dsn());
$fence = $holder->hear();
$names = ['w1', 'w2', 'w3', 'w4', 'w5'];
$line = [];
foreach ($names as $name) {
	$line += $queue->line([$name]);
	$holder->ask('renew') === true || throw new RuntimeException('this machine is too slow: the lease ended before all waited');
}
$holder->signal('KILL');
same(128 + 9, $holder->end()['status'], 'the holder is killed');
$queue->checkServed($line);
same($names, check_history($queue->history, fence: $fence), 'served in the order of arrival');
done();
?>
--EXPECT--
14 checks passed
