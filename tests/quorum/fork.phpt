--TEST--
Quorum: a fork owns nothing and disturbs nobody
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/quorum.inc';

$quorum = Quorum::start(5);
$code = <<<'PHP'
	[$dsns, $what] = $argument;
	$client = new RedisLock\Client($dsns, prefix(), timeout: 5.0);
	$lock = $client->lock('job', 50.0);
	$fence = $lock->acquire();
	$pid = pcntl_fork();
	if ($pid === 0) {
		switch ($what) {
			case 'looks':
				$said = [$lock->isHeld(), $lock->remaining(), $lock->token(), $lock->release(), $lock->renew()];
				exit($said === [false, 0.0, null, false, false] ? 0 : 1);
			case 'works':
				for ($i = 0; $i < 50; $i++) {
					$own = $client->lock('own', 30.0);
					$own->acquire(10.0) > 0 && $own->renew() && $own->release() || exit(1);
				}
				exit($client->lock('job')->acquire() === null ? 0 : 1);
			case 'unsets':
				unset($lock, $client);
				exit(0);
			case 'ends':
				exit(0);
			case 'is killed':
				posix_kill(getmypid(), SIGKILL);
		}
	}
	for ($i = 0; $i < 50; $i++) {
		$other = $client->lock('other', 30.0);
		$other->acquire() > 0 && $other->renew() && $other->release() || tell("cycle $i failed");
	}
	pcntl_waitpid($pid, $status);
	tell([pcntl_wifexited($status) ? pcntl_wexitstatus($status) : 'killed', $lock->isHeld(), $lock->renew(), $lock->fence() === $fence, $client->inspect('job')['held']]);
	hear();
	tell($lock->release());
	hear();
	PHP;
foreach (['looks' => 0, 'works' => 0, 'unsets' => 0, 'ends' => 0, 'is killed' => 'killed'] as $what => $status) {
	$worker = new Worker($code, [$quorum->dsns(), $what]);
	same([$status, true, true, true, true], $worker->hear(), "a child that $what: the parent goes on and holds its lock");
	between(3, 5, $quorum->held('job'), "a child that $what: the nodes hold it");
	same(true, $worker->ask('release'), "a child that $what: the parent gives it back");
	$quorum->waitHeld(0, 'job');
	$worker->tell('end');
	same(['output' => '', 'status' => 0], $worker->end(), "a child that $what: the parent ends well");
}

// A handler forks while the parent waits for the nodes; and both of them go on with the call.
$holder = $quorum->client()->lock('job', 60.0);
foreach (['held by somebody else', 'three nodes hang'] as $how) {
	$holder->acquire(10.0);
	$waiter = new Worker(<<<'PHP'
		$client = new RedisLock\Client($argument, prefix(), timeout: 10.0);
		$lock = $client->lock('job', 50.0);
		$client->inspect('job');
		$parent = getmypid();
		$child = null;
		pcntl_async_signals(true);
		pcntl_signal(SIGUSR1, function () use (&$child) {
			$child = pcntl_fork();
			if ($child === 0) {
				// In its own time.
				usleep(50_000);
			} else {
				tell('forked');
			}
		});
		tell('waits');
		try {
			$got = $lock->acquire(60.0);
		} catch (RedisLock\FailureException $thrown) {
			$got = get_class($thrown);
		}
		if (getmypid() !== $parent) {
			exit(is_int($got) && $lock->release() ? 0 : 1);
		}
		$said = [is_int($got), $lock->release()];
		pcntl_waitpid($child, $status);
		tell([...$said, pcntl_wexitstatus($status)]);
		PHP, $quorum->dsns());
	same('waits', $waiter->hear(), "$how: it waits");
	usleep(100_000);
	$how === 'three nodes hang' && $quorum->stop(0, 1, 2);
	usleep(100_000);
	$waiter->signal('USR1');
	same('forked', $waiter->hear(), "$how: its handler forks");
	usleep(200_000);
	$how === 'three nodes hang' && $quorum->cont(0, 1, 2);
	same(true, $holder->release(), "$how: the holder was not disturbed, and gives it back");
	same([true, true, 0], $waiter->hear(), "$how: parent and child both get the lock in turn");
	same(['output' => '', 'status' => 0], $waiter->end(), "$how: it ends well");
	$quorum->waitHeld(0, 'job');
}
done();
?>
--EXPECT--
30 checks passed
