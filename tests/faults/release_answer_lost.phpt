--TEST--
(e) A release was executed or not, and its answer is lost, with and without somebody else in between
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$direct = $server->client(prefix());
$exists = fn (string $name) => $redis->must('EXISTS', lock_key($name));

foreach (['cut', 'swallow'] as $fault) {
	foreach (['onCommand' => 'not executed', 'onReply' => 'executed'] as $where => $what) {
		$lock = $proxy->client(timeout: 0.5)->lock('alone', 60.0);
		$lock->acquire();
		$proxy->forget();
		$proxy->$where('release', $fault);
		same(true, $lock->release(), "$fault, $what, nobody else: we gave it back");
		same(2, $proxy->count('release'), "$fault, $what: after a repeat");
		same(0, $exists('alone'), "$fault, $what: it is free");
		same([false, null, 0.0], [$lock->isHeld(), $lock->token(), $lock->remaining()], "$fault, $what: not held");
		same(false, $lock->release(), "$fault, $what: a second time there is nothing to give back");
	}
}

// Executed, the answer waits on its way and is lost then; meanwhile something happens. The repeat says "not ours".
$meanwhile = [
	'somebody else has it' => fn (string $name) => $direct->lock($name, 60.0, false)->acquire(),
	'somebody else had it' => fn (string $name) => $direct->lock($name)->synchronized(fn () => true),
	'somebody else had it, and the fence is lost' => fn (string $name) => $direct->lock($name)->synchronized(fn () => true) && $redis->must('DEL', fence_key($name)),
	'its own lease ended' => null,
];
foreach ($meanwhile as $what => $do) {
	$worker = new Worker(<<<'PHP'
		[$dsn, $name, $ttl] = $argument;
		$lock = (new RedisLock\Client($dsn, prefix(), timeout: 60.0))->lock($name, $ttl);
		$lock->acquire();
		tell('acquired');
		hear();
		try {
			$result = $lock->release();
		} catch (RedisLock\RedisLockException $thrown) {
			$result = get_class($thrown);
		}
		tell([$result, $lock->isHeld()]);
		PHP, [$proxy->dsn(), $what, $do === null ? 2.0 : 60.0]);
	same('acquired', $worker->hear(), "$what: it has the lock");
	$proxy->onReply('release', 'hold', then: 'cut');
	$worker->tell('release');
	$proxy->waitHeld(1);
	same(0, $exists($what), "$what: the release was executed");
	if ($do !== null) {
		$do($what);
	} else {
		// Two seconds after the acquire its holder could not have said anything of the lock.
		$lock = $direct->lock('two seconds', 2.0);
		$lock->acquire();
		wait_until_free('two seconds', $redis);
	}
	$before = lock_state($what, $redis);
	$proxy->release();
	same([RedisLock\UncertainException::class, false], $worker->hear(), "$what: nobody can know, and it is not held");
	same($before, lock_state($what, $redis), "$what: and the repeat does nothing to it");
	same(['output' => '', 'status' => 0], $worker->end(), "$what: the worker ends well");
}

// All answers are lost: unknown, not held, and release() can be asked again.
foreach (['onCommand' => 1, 'onReply' => 0] as $where => $left) {
	$lock = $proxy->client(timeout: 0.5)->lock("all lost $where", 60.0);
	$lock->acquire();
	$proxy->$where('release', 'swallow', times: 0);
	throws(RedisLock\UncertainException::class, fn () => $lock->release(), "$where: unknown", 'release');
	same($left, $exists("all lost $where"), "$where: it may be there or not");
	same([false, null], [$lock->isHeld(), $lock->token()], "$where: nobody may rely on it");
	throws(RedisLock\RedisLockError::class, fn () => $lock->detach(), "$where: there is nothing to hand over");
	same(false, $lock->renew(), "$where: nor to renew");
	$proxy->clear();
	same($left === 1, $lock->release(), "$where: asked again, it tells");
	same(0, $exists("all lost $where"), "$where: free");
}

// Taken away by an operator before the release arrived, whose answer is lost: nobody came after us, and that is all that
// true says.
foreach (['DEL' => fn (string $name) => $redis->must('DEL', lock_key($name)), 'forceRelease()' => fn (string $name) => $direct->forceRelease($name)] as $what => $take) {
	$lock = $proxy->client()->lock("taken by $what", 60.0);
	$lock->acquire();
	$take("taken by $what");
	$proxy->onReply('release', 'cut');
	same(true, $lock->release(), "$what, and the answer is lost: true");
	$lock->acquire();
	$take("taken by $what");
	same(false, $lock->release(), "$what, and no answer is lost: false");
}

// Client::release() knows no lease and no fence: sent twice and then "not ours" says nothing.
$direct->lock('by token', 60.0, false)->acquire(0.0, 'x');
$proxy->onReply('release', 'cut');
throws(RedisLock\UncertainException::class, fn () => $proxy->client()->release('by token', 'x'), 'Client::release(), executed, answer lost', 'release');
same(0, $exists('by token'), 'it was executed');
$direct->lock('by token', 60.0, false)->acquire(0.0, 'x');
$proxy->onCommand('release', 'cut');
same(true, $proxy->client()->release('by token', 'x'), 'Client::release(), not executed: the repeat did it');
same(false, $proxy->client()->release('by token', 'x'), 'Client::release(), nothing lost: not ours is clear');
done();
?>
--EXPECT--
62 checks passed
