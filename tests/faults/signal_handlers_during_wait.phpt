--TEST--
Signal handlers run promptly during a wait; what they throw ends it and leaves nothing behind
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
$waits = fn (int $count) => wait_until(fn () => preg_match_all('/ flags=\S*b\S* .* cmd=blpop /', $redis->must('CLIENT', 'LIST')) === $count, "$count wait");
$holder = $server->client(prefix())->lock('job', 600.0);

// Each signal is answered by the handler, and the wait goes on.
$holder->acquire();
$waiter = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 600.0);
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, fn () => tell('handled'));
	tell('waits');
	tell($lock->acquire(600.0) > 0);
	tell($lock->release());
	PHP, $server->dsn());
same('waits', $waiter->hear(), 'it waits');
$waits(1);
$times = [];
for ($i = 0; $i < 25; $i++) {
	$begin = hrtime(true);
	posix_kill($waiter->pid, SIGUSR1);
	$waiter->hear() === 'handled' || throw new RuntimeException('not handled');
	$times[] = (hrtime(true) - $begin) / 1e9;
}
sort($times);
between(0.0, 0.05, $times[12], 'handlers run within 50 ms typically');
$waits(1);
same(true, $holder->release(), 'the holder gives it back');
same([true, true], [$waiter->hear(), $waiter->hear()], 'the waiter gets it, and gives it back');
same(['output' => '', 'status' => 0], $waiter->end(), 'it ends well');

// An exception of a handler ends the call, whatever it is.
$proxy = FaultProxy::before($server);
$code = <<<'PHP'
	[$dsn, $call] = $argument;
	final class Timeout extends Exception
	{
	}
	$client = new RedisLock\Client($dsn, prefix(), timeout: 60.0);
	$lock = $client->lock('job', 600.0);
	$held = $client->lock('held', 600.0);
	$held->acquire();
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, fn () => throw new Timeout('as planned'));
	tell('begins');
	hear();
	try {
		tell(['returned', eval($call)]);
	} catch (Timeout $thrown) {
		tell([$thrown->getMessage(), $thrown->getPrevious() === null, $lock->isHeld(), $held->isHeld()]);
	} catch (Throwable $thrown) {
		tell(get_class($thrown) . ': ' . $thrown->getMessage());
	}
	hear();
	// The client and the objects can be used as before.
	$held->isHeld() || $held->acquire(60.0);
	tell([$client->inspect('other')['held'], $lock->acquire(60.0) > 0, $lock->release(), $held->renew(), $held->release()]);
	PHP;
// In the queue of the lock.
foreach (['$lock->acquire(600.0);', '$lock->acquire(600.0, "owner");', '$lock->synchronized(fn () => tell("called"), 600.0);'] as $call) {
	$holder->acquire();
	$waiter = new Worker($code, [$proxy->dsn(), $call]);
	same('begins', $waiter->hear(), "$call: ready");
	$waiter->tell('go');
	$waits(1);
	posix_kill($waiter->pid, SIGUSR1);
	same(['as planned', true, false, true], $waiter->hear(), "$call: the exception of the handler ends the wait");
	$waits(0);
	same(true, $holder->isHeld() && $holder->renew(), "$call: the holder is undisturbed");
	$holder->release();
	wait_until(fn () => $redis->must('EXISTS', lock_key('job')) === 0, "$call: nothing is locked");
	same([false, true, true, true, true], $waiter->ask('go on'), "$call: everything can be used as before");
	same(['output' => '', 'status' => 0], $waiter->end(), "$call: it ends well");
}

// While an answer is awaited: it comes later, and must not be taken for the answer to the next call.
$calls = [
	'acquire' => ['$lock->acquire();', true],
	'renew' => ['$held->renew();', true],
	'release' => ['$held->release();', false],
	'attach' => ['$lock->attach($held->token());', true],
	'inspect' => ['$client->inspect("held");', true],
	'forceRelease' => ['$client->forceRelease("third");', true],
];
foreach ($calls as $name => [$call, $held]) {
	foreach (['onCommand', 'onReply'] as $where) {
		$what = "$name, $where";
		$waiter = new Worker($code, [$proxy->dsn(), $call]);
		same('begins', $waiter->hear(), "$what: ready");
		$proxy->$where($name, 'hold');
		$waiter->tell('go');
		$proxy->waitHeld(1);
		posix_kill($waiter->pid, SIGUSR1);
		$seen = $waiter->hear();
		same(['as planned', true, false], array_slice($seen, 0, 3), "$what: the exception of the handler ends the call");
		same($held, $seen[3], "$what: what may have been given back is not held, everything else is");
		$proxy->release();
		$proxy->waitQuiet();
		wait_until_free('job', $redis);
		same([false, true, true, true, true], $waiter->ask('go on'), "$what: everything can be used as before");
		same(['output' => '', 'status' => 0], $waiter->end(), "$what: it ends well");
		wait_until_free('held', $redis);
	}
}
done();
?>
--EXPECT--
80 checks passed
