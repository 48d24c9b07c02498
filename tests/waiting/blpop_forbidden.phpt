--TEST--
BLPOP is forbidden: waiting means polling with pauses, which is said once
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$queue->redis->must('ACL', 'SETUSER', 'app', 'on', '>secret', '~*', '+@all', '-blpop');
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$holder->acquire();
$worker = new Worker(<<<'PHP'
	$warnings = [];
	set_error_handler(function (int $level, string $text) use (&$warnings) { $warnings[] = [$level, $text]; return true; });
	$client = new RedisLock\Client($argument, prefix());
	while ($wait = hear()) {
		$lock = $client->lock('job');
		$begin = hrtime(true);
		$fence = $lock->acquire($wait);
		tell(['fence' => $fence, 'passed' => (hrtime(true) - $begin) / 1e9, 'warnings' => $warnings]);
	}
	$lock = (new RedisLock\Client($argument, prefix(), timeout: 0.9))->lock('job', 30.0);
	$lock->acquire(0.1);
	tell(count($warnings));
	PHP, $queue->server->dsn('app:secret'));

$queue->redis->must('CONFIG', 'RESETSTAT');
$monitor = $queue->server->connect();
$monitor->must('MONITOR');
$got = $worker->ask(1.5);
same(null, $got['fence'], 'held: null');
between(1.5, 6.5, $got['passed'], 'at the end of the wait');
same(1, count($got['warnings']), 'one warning');
same(E_WARNING, $got['warnings'][0][0], 'which is an E_WARNING');
check(str_contains($got['warnings'][0][1], 'BLPOP') && !str_contains($got['warnings'][0][1], 'secret'), 'and names what is missing', got: $got['warnings']);
// Pauses from 5 to 250 ms: some 16 tries, and more than 54 never happened in 20,000 simulated waits.
between(4, 70, $queue->commands(), 'it polls, with pauses that grow');
$queue->redis->must('PING', 'end of the wait');
$tries = [];
while (!str_contains($command = $monitor->read(), 'end of the wait')) {
	if (str_contains($command, '"EVALSHA"')) {
		$tries[] = (float) $command;
	}
}
// The first try finds the lock held, and the second one that there is no BLPOP. From there on there are pauses.
$pauses = [];
for ($i = 2; $i < count($tries); $i++) {
	$pauses[] = round(1000 * ($tries[$i] - $tries[$i - 1]), 1);
}
// The last one is cut short by the deadline.
array_pop($pauses);
check(min($pauses) >= 4.9, 'no pause is shorter than 5 ms', pauses: $pauses);
check(max($pauses) > 30.0, 'they grow', pauses: $pauses);
check(count(array_unique($pauses)) > count($pauses) / 2, 'and are drawn by lot', pauses: $pauses);
unset($monitor);

$queue->redis->must('DEL', side_key(lock_key('job'), 'wait'));
$worker->tell(60.0);
$queue->redis->must('CONFIG', 'RESETSTAT');
wait_until(fn () => $queue->commands() >= 2, 'it polls again');
same(0, $queue->redis->must('EXISTS', side_key(lock_key('job'), 'wait')), 'one that polls does not raise the wait flag: nobody is to be woken');
same(0, $queue->redis->calls()['blpop'] ?? 0, 'BLPOP is not tried again');
$holder->release();
$got = $worker->hear();
check($got['fence'] > 0, 'it gets the lock');
same(1, count($got['warnings']), 'and says nothing more');
$worker->tell(null);
same(1, $worker->hear(), 'one warning for the whole process, whatever the client');
done();
?>
--EXPECT--
14 checks passed
