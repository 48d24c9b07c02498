--TEST--
A storm of signals is never an error
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start(tcp: true);
$redis = $server->connect();
$rounds = getenv('TEST_ASAN') ? 200 : 1000;
$code = <<<'PHP'
	[$dsn, $rounds, $persistent, $restart] = $argument;
	$signals = 0;
	pcntl_async_signals(true);
	// Also without SA_RESTART, so that every system call can end with EINTR.
	pcntl_signal(SIGUSR1, function () use (&$signals) { $signals++; }, $restart);
	$client = new RedisLock\Client($dsn, prefix(), timeout: 60.0, connectTimeout: 60.0, persistent: $persistent);
	ready();
	$problems = [];
	$fence = 0;
	for ($i = 0; $i < $rounds; $i++) {
		try {
			$lock = $client->lock('job', 600.0);
			$next = $lock->acquire(60.0);
			$right = $next > $fence && $lock->renew() && $client->inspect('job')['token'] === $lock->token() && $client->lock('job')->acquire() === null && $lock->release();
			$right || $problems[] = "round $i is wrong";
			$fence = $next;
		} catch (Throwable $thrown) {
			$problems[] = get_class($thrown) . ': ' . $thrown->getMessage();
		}
		// A new connection now and then: connecting and logging in are interrupted too.
		if ($i % 10 === 0) {
			$client->lock('kill', 600.0, false);
			tell('kill me');
			hear();
		}
	}
	tell('end');
	hear();
	tell([$problems, $signals > 0]);
	hear();
	PHP;
$stormer = <<<'PHP'
	tell('ready');
	while (@posix_kill($argument, SIGUSR1)) {
		usleep(1500);
	}
	PHP;
foreach (['unix socket' => $server->dsn(), 'TCP, a host name' => "redis://localhost:$server->port/1"] as $where => $dsn) {
	foreach ([true, false] as $restart) {
		$what = "$where, " . ($restart ? 'with' : 'without') . ' SA_RESTART';
		$worker = new Worker($code, [$dsn, $rounds, true, $restart]);
		same('ready', $worker->hear(), "$what: ready");
		$storm = new Worker($stormer, $worker->pid);
		same('ready', $storm->hear(), "$what: the storm begins");
		$worker->tell('go');
		while (($said = $worker->hear()) === 'kill me') {
			$redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
			$worker->tell('go on');
		}
		same('end', $said, "$what: it gets to its end");
		$storm->signal('KILL');
		$storm->end();
		same([[], true], $worker->ask('what was wrong'), "$what: nothing was wrong");
		same(['output' => '', 'status' => 0], $worker->end(), "$what: it ends well");
	}
}

// During a wait, and at the hand-over.
$holder = $server->client(prefix())->lock('waited', 600.0);
for ($i = 0; $i < 3; $i++) {
	$holder->acquire(60.0);
	$waiter = new Worker(<<<'PHP'
		pcntl_async_signals(true);
		pcntl_signal(SIGUSR1, fn () => null, false);
		$lock = (new RedisLock\Client($argument, prefix()))->lock('waited', 600.0);
		tell('waits');
		tell($lock->acquire(600.0) > 0);
		tell($lock->release());
		hear();
		PHP, $server->dsn());
	same('waits', $waiter->hear(), "wait $i: begins");
	$storm = new Worker($stormer, $waiter->pid);
	same('ready', $storm->hear(), "wait $i: the storm begins");
	wait_until(fn () => str_contains($redis->must('CLIENT', 'LIST'), ' cmd=blpop '), 'it waits');
	usleep(300_000);
	same(true, $holder->release(), "wait $i: the holder gives it back");
	same([true, true], [$waiter->hear(), $waiter->hear()], "wait $i: the waiter gets it, and gives it back");
	$storm->signal('KILL');
	$storm->end();
	$waiter->tell('end');
	same(['output' => '', 'status' => 0], $waiter->end(), "wait $i: it ends well");
}
done();
?>
--EXPECT--
35 checks passed
