--TEST--
Fork: in a signal handler during a wait, and while the parent waits
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
$holder = $server->client(prefix())->lock('job', 600.0);
$waits = fn (int $count) => wait_until(fn () => preg_match_all('/ flags=\S*b\S* .* cmd=blpop /', $redis->must('CLIENT', 'LIST')) === $count, "$count wait");

// What the child does in the handler of its parent; the wait of the parent goes on.
$code = <<<'PHP'
	[$dsn, $what] = $argument;
	$client = new RedisLock\Client($dsn, prefix());
	$lock = $client->lock('job', 600.0);
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, function () use ($what, $client, $lock) {
		$pid = pcntl_fork();
		if ($pid > 0) {
			tell($pid);
			return;
		}
		switch ($what) {
			case 'exit()':
				exit(0);
			case 'SIGKILL':
				posix_kill(getmypid(), SIGKILL);
			case 'exec':
				pcntl_exec('/bin/true');
			case 'an exception':
				ini_set('display_errors', '0');
				throw new Exception('as planned');
			case 'uses the client':
				$fence = $client->lock('other', 600.0)->acquire(60.0);
				exit($fence > 0 ? 0 : 1);
			case 'uses the object':
				try {
					$lock->acquire();
				} catch (RedisLock\RedisLockError) {
					exit(0);
				}
				exit(1);
			case 'waits too':
				// Returns to the wait, as a process of its own.
		}
	});
	$parent = getmypid();
	tell('waits');
	$fence = $lock->acquire(600.0);
	if (getmypid() !== $parent) {
		// The child: not through the pipe of its parent's dialogue.
		$client->lock('the child was served', 600.0, false)->acquire();
		exit($lock->release() ? 0 : 1);
	}
	tell($fence > 0);
	tell($lock->release());
	tell('end');
	PHP;
foreach (['exit()', 'SIGKILL', 'exec', 'an exception', 'uses the client', 'uses the object', 'waits too'] as $what) {
	$holder->acquire();
	$waiter = new Worker($code, [$server->dsn(), $what]);
	same('waits', $waiter->hear(), "$what: it waits");
	$waits(1);
	$waiter->signal('USR1');
	$pid = $waiter->hear();
	check($pid > 0, "$what: its handler forks");
	if ($what === 'waits too') {
		$waits(2);
	} else {
		// A child of our child: its end shows in its state.
		wait_until(fn () => !is_dir("/proc/$pid") || str_contains((string) @file_get_contents("/proc/$pid/stat"), ') Z '), "$what: the child has ended");
		$waits(1);
	}
	check($holder->isHeld() && $holder->renew(), "$what: the holder is undisturbed");
	same(true, $holder->release(), "$what: it gives the lock back");
	same(true, $waiter->hear(), "$what: the waiter gets it");
	same(true, $waiter->hear(), "$what: and gives it back");
	same('end', $waiter->hear(), "$what: and is at its end");
	if ($what === 'waits too') {
		wait_until(fn () => $redis->must('EXISTS', lock_key('the child was served')) === 1, 'the child gets the lock too');
	}
	same(0, $waiter->end()['status'], "$what: it ends well");
	wait_until(fn () => $redis->must('EXISTS', lock_key('job')) === 0, "$what: it is free");
}
done();
?>
--EXPECT--
56 checks passed
