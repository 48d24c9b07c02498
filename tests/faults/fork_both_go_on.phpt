--TEST--
Fork: parent and child go on with the same client and the same objects
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
$client = $server->client(prefix());
$lock = $client->lock('job', 600.0);
$fence = $lock->acquire();
/* A child that reports over a pipe. */
$fork = function (callable $code): array {
	[$ours, $theirs] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
	$pid = pcntl_fork();
	if ($pid === 0) {
		fclose($ours);
		$say = fn (mixed $value) => fwrite($theirs, json_encode($value) . "\n");
		$hear = fn () => json_decode((string) fgets($theirs), true);
		try {
			$code($say, $hear);
		} catch (Throwable $thrown) {
			$say(get_class($thrown) . ': ' . $thrown->getMessage());
		}
		exit(0);
	}
	fclose($theirs);
	return [$pid, $ours];
};
$ask = function ($stream, mixed $value = null): mixed {
	$value === null || fwrite($stream, json_encode($value) . "\n");
	return json_decode((string) fgets($stream), true);
};

// The child uses the client, and the object that is its parent's lock.
[$pid, $child] = $fork(function (callable $say, callable $hear) use ($client, $lock) {
	$say([$lock->acquire(), $client->lock('job')->acquire(), $client->inspect('job')['held']]);
	$own = $client->lock('own', 600.0);
	$say($own->acquire() > 0);
	$hear();
	$say($lock->acquire(60.0));
	$hear();
	$say([$own->isHeld(), $lock->isHeld(), $lock->renew()]);
});
same([null, null, true], $ask($child), 'the child meets the lock of its parent');
same(true, $ask($child), 'and has one of its own');
for ($i = 0; $i < 200; $i++) {
	$lock->renew() || check(false, 'the parent renews');
	$client->lock("$i")->synchronized(fn () => true);
}
same([true, $fence], [$lock->isHeld(), $lock->fence()], 'the parent has its lock');
fwrite($child, "1\n");
usleep(50_000);
same(true, $lock->release(), 'the parent gives it back');
$childFence = $ask($child);
check($childFence > $fence, 'and the child gets it, with the same object', fence: $childFence);
same(null, $lock->acquire(), 'the parent meets the lock of the child');
same([false, $fence], [$lock->isHeld(), $lock->fence()], 'and does not believe that it is its own');
same([true, true, true], $ask($child, 1), 'the child has both');
pcntl_waitpid($pid, $status);
wait_until_free('own', $redis);
wait_until_free('job', $redis);
check($lock->acquire() > $childFence, 'at its end the child gave them back, and the parent gets its lock again');

// The parent ends first: the child still owns nothing.
$parent = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('orphan', 600.0, false);
	$lock->acquire();
	if (pcntl_fork() === 0) {
		hear();
		tell([$lock->isHeld(), $lock->release(), $lock->renew(), $lock->acquire()]);
		exit(0);
	}
	tell('forked');
	posix_kill(getmypid(), SIGKILL);
	PHP, $server->dsn());
same('forked', $parent->hear(), 'a parent forks and dies');
wait_until(fn () => str_contains((string) @file_get_contents("/proc/$parent->pid/stat"), ') Z ') || !is_dir("/proc/$parent->pid"), 'it is dead');
same([false, false, false, null], $parent->ask('go on'), 'its child owns nothing of it');
check($redis->must('GET', lock_key('orphan')) !== null, 'the lock is there until its lease ends');
$parent->end();

// Many children at once, with what their parent has on its way: an automatic release, an abandoned acquire.
$proxy = FaultProxy::before($server);
$lost = $proxy->client(timeout: 0.2);
$proxy->onReply('acquire', 'hold', times: 2);
throws(RedisLock\UncertainException::class, fn () => $lost->lock('lost', 600.0)->acquire(), 'two connections are parked');
$shared = $client->lock('counted', 600.0);
$children = [];
for ($i = 0; $i < 8; $i++) {
	$temporary = $client->lock("temporary $i", 600.0);
	$temporary->acquire();
	unset($temporary);
	$children[] = $fork(function (callable $say) use ($shared) {
		$fences = [];
		for ($round = 0; $round < 20; $round++) {
			$fences[] = $shared->acquire(60.0);
			$shared->release();
		}
		$say($fences);
	});
}
$all = [];
foreach ($children as [$pid, $child]) {
	$fences = $ask($child);
	$sorted = is_array($fences) ? $fences : [];
	sort($sorted);
	check($sorted === $fences, 'a child has growing fences', fences: $fences);
	$all = array_merge($all, $sorted);
	pcntl_waitpid($pid, $status);
}
same(160, count(array_unique($all)), 'and all are different');
for ($i = 0; $i < 8; $i++) {
	wait_until_free("temporary $i", $redis);
}
$proxy->release();
$proxy->waitQuiet();
wait_until_free('lost', $redis);
same(true, $lock->release(), 'the parent is undisturbed by all of it');
done();
?>
--EXPECT--
23 checks passed
