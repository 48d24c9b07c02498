--TEST--
The timeout of a queue worker, as Laravel has it, works during a wait
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$holder = $server->client(prefix())->lock('job', 600.0);
$holder->acquire();
$code = <<<'PHP'
	[$dsn, $kill] = $argument;
	$client = new RedisLock\Client($dsn, prefix());
	$other = $client->lock('other', 600.0);
	$other->acquire();
	pcntl_async_signals(true);
	pcntl_signal(SIGALRM, function () use ($kill) {
		tell('timeout');
		$kill ? posix_kill(getmypid(), SIGKILL) : exit(12);
	});
	pcntl_alarm(1);
	tell($client->lock('job', 600.0)->acquire(600.0));
	PHP;
foreach (['exit' => false, 'kill' => true] as $how => $kill) {
	$begin = hrtime(true);
	$worker = new Worker($code, [$server->dsn(), $kill]);
	same('timeout', $worker->hear(), "$how: the handler runs");
	same(['output' => '', 'status' => $kill ? 128 + 9 : 12], $worker->end(), "$how: and ends the worker");
	between(0.9, 30.0, (hrtime(true) - $begin) / 1e9, "$how: then, and not at the end of the wait");
	same(true, $holder->renew(), "$how: the holder is undisturbed");
	if (!$kill) {
		wait_until_free('other', $redis);
	} else {
		between(1, 600_000, $redis->must('PTTL', lock_key('other')), "$how: what it held stays until its lease ends");
		$server->client(prefix())->forceRelease('other');
	}
}
// Nobody is in the queue any more: the lock is free as soon as it is given back, but for a reservation.
wait_until(fn () => $redis->info('clients')['blocked_clients'] === '0', 'nobody waits');
same(true, $holder->release(), 'given back');
check($server->client(prefix())->lock('job')->acquire(10.0) > 0, 'and to be had');
done();
?>
--EXPECT--
11 checks passed
