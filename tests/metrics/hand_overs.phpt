--TEST--
A hand-over is counted once, by the waiter that got the lock; a fork counts together with its parent
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';

const WAITERS = 8;

$server = RedisServer::start();
$redis = $server->connect();
$client = $server->client(prefix());
$lock = $client->lock('job', 60.0);
$lock->acquire();
$before = counters(RedisLock::stats());
$children = [];
for ($i = 0; $i < WAITERS; $i++) {
	$child = pcntl_fork();
	if ($child === 0) {
		$mine = $client->lock('job', 60.0);
		$mine->acquire(60.0);
		$mine->release();
		// Nothing of the parent's end.
		posix_kill(getmypid(), SIGKILL);
	}
	$children[] = $child;
}
$waiting = fn () => preg_match_all('/ cmd=blpop /', $redis->must('CLIENT', 'LIST'), $found) === WAITERS;
wait_until($waiting, 'all of them wait');
$lock->release();
foreach ($children as $child) {
	pcntl_waitpid($child, $status);
}
$added = [];
foreach (counters(RedisLock::stats()) as $name => $value) {
	$added[$name] = $value - $before[$name];
}
same(WAITERS, $added['hand_overs'], 'each waiter was woken once');
same([WAITERS, WAITERS, WAITERS, WAITERS + 1], [$added['attempts'], $added['contended'], $added['acquired'], $added['released']], 'and all that the children did is counted here, though they were killed');
same(0, $added['lost'] + $added['released_late'] + $added['timed_out'] + $added['released_automatically'], 'nothing else happened');

// What nobody waited for is no hand-over.
adds(['attempts' => 2, 'acquired' => 2, 'released' => 2], function () use ($lock, $redis) {
	$lock->acquire();
	$lock->release();
	wait_until_free('job', $redis);
	$lock->acquire(1.0);
	$lock->release();
}, 'no waiter, no hand-over');

// Nor is what somebody waited for and was not woken for: without BLPOP, waiting means polling.
$redis->must('ACL', 'SETUSER', 'poller', 'on', 'nopass', '~*', '+@all', '-blpop');
$poller = new RedisLock\Client($server->dsn('poller:x'), prefix());
$client->lock('polled', 1.0, false)->acquire();
adds(['attempts' => 1, 'acquired' => 1, 'contended' => 1, 'released_automatically' => 1], fn () => @$poller->lock('polled', 60.0)->acquire(60.0), 'polling');

// A child that is born in a signal handler, during a call, owns nothing: so it has lost nothing.
$lock = $server->client(prefix(), timeout: 30.0)->lock('job', 60.0);
$lock->acquire();
pcntl_async_signals(true);
pcntl_signal(SIGALRM, function () use (&$child) {
	$child = pcntl_fork();
});
$before = counters(RedisLock::stats());
$redis->must('CLIENT', 'PAUSE', '1500', 'ALL');
pcntl_alarm(1);
$result = $lock->release();
if ($child === 0) {
	posix_kill(getmypid(), SIGKILL);
}
pcntl_waitpid($child, $status);
$after = counters(RedisLock::stats());
same(true, $result, 'the parent gave it back');
same([1, 0, 0], [$after['released'] - $before['released'], $after['lost'] - $before['lost'], $after['released_late'] - $before['released_late']], 'once, and the child lost nothing');

// Processes that do not come from one another count on their own.
$apart = new Worker('tell(RedisLock::stats()["attempts"]); (new RedisLock\Client($argument, prefix()))->lock("apart")->acquire(); tell(RedisLock::stats()["attempts"]);', $server->dsn());
$mine = RedisLock::stats()['attempts'];
same([0, 1, $mine], [$apart->hear(), $apart->hear(), RedisLock::stats()['attempts']], 'another process has counters of its own');
done();
?>
--EXPECT--
8 checks passed
