--TEST--
Quorum: signal handlers run promptly; what they throw ends the call and leaves nothing behind
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

$quorum = Quorum::start(5);
$code = <<<'PHP'
	[$dsns, $call] = $argument;
	final class Stop extends Exception
	{
	}
	$client = new RedisLock\Client($dsns, prefix(), timeout: 60.0);
	$lock = $client->lock('job', 50.0);
	$held = $client->lock('held', 50.0);
	$held->acquire();
	$client->inspect('job');
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, fn () => throw new Stop('as planned'));
	pcntl_signal(SIGUSR2, fn () => tell('handled'));
	tell('begins');
	hear();
	try {
		tell(['returned', eval($call)]);
	} catch (Stop $thrown) {
		tell([$thrown->getMessage(), $thrown->getPrevious() === null, $lock->isHeld()]);
	} catch (Throwable $thrown) {
		tell(get_class($thrown) . ': ' . $thrown->getMessage());
	}
	hear();
	// The client and the objects can be used as before.
	$held->isHeld() || $held->acquire(60.0);
	tell([$client->inspect('other')['held'], $lock->acquire(60.0) > 0, $lock->release(), $held->renew(), $held->release()]);
	hear();
	PHP;

// While somebody else holds the lock.
$holder = $quorum->client()->lock('job', 60.0);
foreach (['$lock->acquire(600.0);', '$lock->acquire(600.0, "owner");', '$lock->synchronized(fn () => tell("called"), 600.0);'] as $call) {
	$holder->acquire(10.0);
	$waiter = new Worker($code, [$quorum->dsns(), $call]);
	same('begins', $waiter->hear(), "$call: ready");
	$waiter->tell('go');
	usleep(100_000);
	$times = [];
	for ($i = 0; $i < 10; $i++) {
		$times[] = seconds(function () use ($waiter): void {
			$waiter->signal('USR2');
			$waiter->hear() === 'handled' || throw new RuntimeException('not handled');
		});
	}
	sort($times);
	between(0.0, 0.2, $times[5], "$call: handlers run promptly, and the wait goes on");
	$waiter->signal('USR1');
	same(['as planned', true, false], $waiter->hear(), "$call: the exception of the handler ends the wait");
	same(true, $holder->renew(), "$call: the holder is undisturbed");
	same(true, $holder->release(), "$call: and gives it back");
	$quorum->waitHeld(0, 'job');
	same([false, true, true, true, true], $waiter->ask('go on'), "$call: everything can be used as before");
	$waiter->tell('end');
	same(['output' => '', 'status' => 0], $waiter->end(), "$call: it ends well");
}

// While the nodes do not answer. Two of them have granted it already; the others get to it later.
$calls = ['$lock->acquire();', '$lock->acquire(600.0);', '$held->renew();', '$held->release();', '$lock->attach("nobody");', '$client->inspect("held");', '$client->forceRelease("third");', '$client->renew("held", "nobody", 1.0);', '$client->initializeQuorum();'];
foreach ($calls as $call) {
	$waiter = new Worker($code, [$quorum->dsns(), $call]);
	same('begins', $waiter->hear(), "$call: ready");
	$quorum->stop(0, 2, 4);
	$waiter->tell('go');
	usleep(200_000);
	if (str_contains($call, 'acquire')) {
		$quorum->waitHeld(2, 'job', [1, 3]);
	}
	$took = seconds(function () use ($waiter, $call): void {
		$waiter->signal('USR1');
		same(['as planned', true, false], $waiter->hear(), "$call: the exception of the handler ends the call");
	});
	between(0.0, 3.0, $took, "$call: promptly");
	$quorum->waitHeld(0, 'job', [1, 3]);
	$quorum->cont(0, 2, 4);
	$quorum->waitHeld(0, 'job');
	same([false, true, true, true, true], $waiter->ask('go on'), "$call: everything can be used as before");
	$waiter->tell('end');
	same(['output' => '', 'status' => 0], $waiter->end(), "$call: it ends well");
	$quorum->waitHeld(0, 'held');
}

// A handler uses the same client, and other locks, during the wait.
$holder->acquire(10.0);
$waiter = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, prefix());
	$lock = $client->lock('job', 50.0);
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, function () use ($client, $lock) {
		$other = $client->lock('from the handler', 30.0);
		$said = [$other->acquire() > 0, $other->renew(), $other->release(), $client->inspect('job')['held']];
		try {
			$lock->acquire();
		} catch (RedisLock\RedisLockError) {
			$said[] = 'busy';
		}
		tell($said);
	});
	tell('waits');
	tell($lock->acquire(600.0) > 0 && $lock->release());
	PHP, $quorum->dsns());
same('waits', $waiter->hear(), 'a handler with locks: it waits');
for ($i = 0; $i < 5; $i++) {
	usleep(50_000);
	$waiter->signal('USR1');
	same([true, true, true, true, 'busy'], $waiter->hear(), "a handler with locks, $i: it can use others, and not the one that waits");
}
$holder->release();
same(true, $waiter->hear(), 'a handler with locks: the wait goes on well');
same(['output' => '', 'status' => 0], $waiter->end(), 'a handler with locks: it ends well');

// A fatal error in a handler, while two nodes have granted the lock.
$waiter = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, prefix(), timeout: 60.0);
	$client->inspect('job');
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, function () {
		ini_set('display_errors', '0');
		ini_set('memory_limit', '4M');
		str_repeat('x', 100_000_000);
	});
	tell('begins');
	hear();
	$client->lock('job', 50.0)->acquire();
	PHP, $quorum->dsns());
same('begins', $waiter->hear(), 'a fatal error: ready');
$quorum->stop(0, 2, 4);
$waiter->tell('go');
$quorum->waitHeld(2, 'job', [1, 3]);
$waiter->signal('USR1');
same(255, $waiter->end()['status'], 'a fatal error: ends the process');
$quorum->waitHeld(0, 'job', [1, 3]);
$quorum->cont(0, 2, 4);
$quorum->waitHeld(0, 'job');
check(true, 'a fatal error: nothing stays locked');
done();
?>
--EXPECT--
77 checks passed
