--TEST--
The process ends in a signal handler during a wait: fatal error, exit, exception
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

// What PHP itself leaves when it ends like this, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$server = RedisServer::start();
$redis = $server->connect();
$waits = fn (int $count) => wait_until(fn () => preg_match_all('/ flags=\S*b\S* .* cmd=blpop /', $redis->must('CLIENT', 'LIST')) === $count, "$count wait");
$code = <<<'PHP'
	[$dsn, $end] = $argument;
	$client = new RedisLock\Client($dsn, prefix());
	$held = $client->lock('held', 600.0);
	$held->acquire();
	$lock = $client->lock('job', 600.0);
	ini_set('display_errors', '0');
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, function () use ($end) { eval($end); });
	tell('waits');
	$lock->acquire(600.0);
	tell('acquired');
	PHP;
$ends = [
	'memory limit' => ['ini_set("memory_limit", "8M"); str_repeat("x", 100_000_000);', 255],
	'exit()' => ['exit(7);', 7],
	'exception' => ['throw new Exception("as planned");', 255],
];
foreach ($ends as $how => [$end, $status]) {
	$holder = $server->client(prefix())->lock('job', 600.0);
	$holder->acquire();
	$worker = new Worker($code, [$server->dsn(), $end]);
	same('waits', $worker->hear(), "$how: it waits");
	$waits(1);
	$second = new Worker(<<<'PHP'
		$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 600.0);
		tell('waits');
		tell($lock->acquire(600.0) > 0);
		hear();
		PHP, $server->dsn());
	same('waits', $second->hear(), "$how: another one waits behind it");
	$waits(2);
	$worker->signal('USR1');
	same(['output' => '', 'status' => $status], $worker->end(), "$how: it ends in its handler");
	wait_until_free('held', $redis);
	$waits(1);
	same(true, $holder->release(), "$how: the holder gives the lock back");
	$begin = hrtime(true);
	same(true, $second->hear(), "$how: and the one behind gets it");
	between(0.0, 5.0, (hrtime(true) - $begin) / 1e9, "$how: soon");
	$second->tell('end');
	same(['output' => '', 'status' => 0], $second->end(), "$how: it ends well");
	wait_until_free('job', $redis);
}

// It ends at the moment it is woken: its wake-up goes to the next one.
$monitor = $server->connect();
$monitor->must('MONITOR');
foreach ($ends as $how => [$end, $status]) {
	$holder = $server->client(prefix())->lock('job', 600.0);
	$holder->acquire(60.0);
	$worker = new Worker($code, [$server->dsn(), 'tell("in the handler"); hear(); ' . $end]);
	same('waits', $worker->hear(), "$how, woken: it waits");
	$waits(1);
	$second = new Worker(<<<'PHP'
		$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 600.0);
		tell($lock->acquire(600.0) > 0);
		$lock->release();
		PHP, $server->dsn());
	$waits(2);
	$worker->signal('USR1');
	same('in the handler', $worker->hear(), "$how, woken: it is interrupted");
	same(true, $holder->release(), "$how, woken: the holder gives the lock back");
	$reservation = $redis->must('GET', lock_key('job'));
	check(str_starts_with((string) $reservation, 'handoff:'), "$how, woken: to the one that is interrupted", value: $reservation);
	$worker->tell('go on');
	same(['output' => '', 'status' => $status], $worker->end(), "$how, woken: it ends in its handler");
	same(true, $second->hear(), "$how, woken: the next one gets it");
	same(['output' => '', 'status' => 0], $second->end(), "$how, woken: and ends well");
	$redis->must('PING', "$how is over");
	$passed = 0;
	while (!str_contains($command = $monitor->read(), "$how is over")) {
		$passed += preg_match('/ "EVAL" .*"' . preg_quote($reservation, '/') . '"$/', $command);
	}
	same(1, $passed, "$how, woken: it was passed on");
	wait_until_free('job', $redis);
}

// The same while a send is unanswered: it may still arrive.
$proxy = FaultProxy::before($server);
foreach ($ends as $how => [$end, $status]) {
	$proxy->forget();
	$proxy->onCommand('acquire', 'hold', contains: prefix() . 'job');
	$worker = new Worker(str_replace('prefix())', 'prefix(), timeout: 60.0)', $code), [$proxy->dsn(), $end]);
	same('waits', $worker->hear(), "$how: its acquire is under way");
	$proxy->waitHeld(1);
	$worker->signal('USR1');
	same(['output' => '', 'status' => $status], $worker->end(), "$how, unanswered: it ends in its handler");
	$proxy->release();
	$proxy->waitQuiet();
	wait_until_free('held', $redis);
	// At once, or with the end of a reservation for a waiter that has left.
	wait_until_free('job', $redis);
	same(0, $redis->must('EXISTS', lock_key('job')), "$how, unanswered: the late acquire leaves nothing locked");
}
done();
?>
--EXPECT--
54 checks passed
