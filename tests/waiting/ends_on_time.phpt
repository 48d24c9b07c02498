--TEST--
A wait in vain ends at its deadline, and is not busy
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$holder->acquire();
$code = <<<'PHP'
	$used = fn () => array_sum(array_map(fn (string $of) => getrusage()["ru_$of.tv_sec"] + getrusage()["ru_$of.tv_usec"] / 1e6, ['utime', 'stime']));
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job');
	$lock->acquire();
	tell('ready');
	while ($wait = hear()) {
		$used_before = $used();
		$begin = hrtime(true);
		$fence = $lock->acquire($wait);
		tell(['fence' => $fence, 'passed' => (hrtime(true) - $begin) / 1e9, 'cpu' => $used() - $used_before]);
	}
	PHP;
$worker = new Worker($code, $queue->server->dsn());
same('ready', $worker->hear(), 'connected');
// Commands: one try, BLPOP, one last try, CLIENT UNBLOCK; for the long one a poke a second (the first one twice, for NOSCRIPT).
foreach ([[0.05, 4], [0.7, 4], [4.0, 13]] as [$wait, $most]) {
	$queue->redis->must('CONFIG', 'RESETSTAT');
	$got = $worker->ask($wait);
	same(null, $got['fence'], "$wait s: null");
	// The upper bounds only say that it ends and sleeps: machines that test are slow at times.
	between($wait, $wait + 5.0, $got['passed'], "$wait s: not before the deadline");
	between(0.0, 0.25 * $wait + 0.1, $got['cpu'], "$wait s: CPU time");
	// The BLPOP that was given up is not counted everywhere.
	between($queue->countsBlocked() ? 3 : 2, $most, $queue->commands(), "$wait s: commands");
	same(0, $queue->blocked(), "$wait s: nobody is in the queue afterwards");
}
done();
?>
--EXPECT--
16 checks passed
