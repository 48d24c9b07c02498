--TEST--
A signal handler uses locks during a wait: another one works, the same object is refused
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$waits = fn (int $count) => wait_until(fn () => preg_match_all('/ flags=\S*b\S* .* cmd=blpop /', $redis->must('CLIENT', 'LIST')) === $count, "$count wait");
$holder = $server->client(prefix())->lock('job', 600.0);
$run = function (string $what, string $handler, mixed ...$expected) use ($server, $holder, $waits) {
	$holder->acquire();
	$waiter = new Worker(<<<'PHP'
		[$dsn, $handler] = $argument;
		$client = new RedisLock\Client($dsn, prefix());
		$lock = $client->lock('job', 600.0);
		$other = $client->lock('other', 600.0);
		$refused = function (callable $call): string {
			try {
				$call();
				return 'not refused';
			} catch (Throwable $thrown) {
				return get_class($thrown);
			}
		};
		pcntl_async_signals(true);
		pcntl_signal(SIGUSR1, function () use ($handler, $client, $lock, $other, $refused) {
			tell(eval($handler));
		});
		tell('waits');
		tell($lock->acquire(600.0) > 0);
		tell([$lock->renew(), $lock->release()]);
		PHP, [$server->dsn(), $handler]);
	same('waits', $waiter->hear(), "$what: it waits");
	$waits(1);
	posix_kill($waiter->pid, SIGUSR1);
	foreach ($expected as $value) {
		same($value, $waiter->hear(), "$what: in the handler");
	}
	$waits(1);
	same(true, $holder->release(), "$what: the holder gives it back");
	same(true, $waiter->hear(), "$what: the waiter gets it");
	same([true, true], $waiter->hear(), "$what: renews it, and gives it back");
	same(['output' => '', 'status' => 0], $waiter->end(), "$what: it ends well");
};
$run('another lock', 'return [$other->acquire() > 0, $other->renew(), $client->inspect("other")["held"], $other->release()];', [true, true, true, true]);
$run('another object of the same name', '$same = $client->lock("job"); return [$same->acquire(), $same->acquire(0.05), $client->inspect("job")["held"]];', [null, null, true]);
$run('another lock in synchronized()', 'return $other->synchronized(fn () => $client->lock("third")->synchronized(fn () => 7));', 7);
$run('what is destroyed in it', '$temporary = $client->lock("temporary"); $temporary->acquire(); unset($temporary); return 1;', 1);
$class = RedisLock\RedisLockError::class;
$run('the same object', 'return array_map($refused, [
	fn () => $lock->acquire(), fn () => $lock->acquire(1.0, "x"), fn () => $lock->attach("x"), fn () => $lock->renew(),
	fn () => $lock->release(), fn () => $lock->detach(), fn () => $lock->synchronized(fn () => 1),
]);', array_fill(0, 7, $class));
$run('reading the same object', 'return [$lock->isHeld(), $lock->remaining(), $lock->token(), $lock->fence(), $lock->name];', [false, 0.0, null, null, 'job']);

// A wait inside a wait of the same process.
$names = ['first', 'second'];
$holders = [];
foreach ($names as $name) {
	$holders[$name] = $server->client(prefix())->lock($name, 600.0);
	$holders[$name]->acquire();
}
$waiter = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, prefix());
	$names = ['first', 'second'];
	function wait_for_next(): void
	{
		global $client, $names;
		$name = array_shift($names);
		$lock = $client->lock($name, 600.0);
		tell("waits for $name");
		tell("$name: " . ($lock->acquire(600.0) > 0 ? 'acquired' : 'not acquired'));
		$lock->release();
	}
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, wait_for_next(...));
	wait_for_next();
	PHP, $server->dsn());
same('waits for first', $waiter->hear(), 'the first wait');
$waits(1);
posix_kill($waiter->pid, SIGUSR1);
same('waits for second', $waiter->hear(), 'the second wait, inside the first');
$waits(2);
$holders['first']->release();
$holders['second']->release();
same('second: acquired', $waiter->hear(), 'the inner one is served first, because only it runs');
same('first: acquired', $waiter->hear(), 'then the outer one, whose turn came meanwhile or comes again');
same(['output' => '', 'status' => 0], $waiter->end(), 'it ends well');
wait_until(fn () => $redis->must('EXISTS', lock_key('first'), lock_key('second')) === 0, 'nothing is left');
done();
?>
--EXPECT--
41 checks passed
