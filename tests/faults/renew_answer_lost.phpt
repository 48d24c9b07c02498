--TEST--
(d) A renewal was executed and its answer is lost
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
$client = $proxy->client(timeout: 0.5);
$ttl = fn () => $redis->must('PTTL', lock_key('job')) / 1000;
$lock = $client->lock('job', 60.0);
$fence = $lock->acquire();
$token = $lock->token();

foreach (['cut', 'swallow', 'hold'] as $i => $fault) {
	foreach (['onCommand' => 'not executed', 'onReply' => 'executed'] as $where => $what) {
		$proxy->forget();
		$proxy->$where('renew', $fault);
		$asked = 100.0 * ($i + 1) + ($where === 'onReply' ? 50.0 : 0.0);
		same(true, $lock->renew($asked), "$fault, $what: true after the repeat");
		same(2, $proxy->count('renew'), "$fault, $what: it was sent twice");
		between(0.9 * $asked, $asked, $lock->remaining(), "$fault, $what: the lease is the new one here");
		between(0.9 * $asked, $asked, $ttl(), "$fault, $what: and there");
		between(0.0, $ttl(), $lock->remaining(), "$fault, $what: here never longer than there");
	}
}
$proxy->release();

// Every answer is lost: unknown, and the lease from before still stands here, though it is longer there.
foreach (['cut', 'swallow', 'truncate'] as $i => $fault) {
	$proxy->onReply('renew', $fault, times: 0, keep: 3);
	$asked = 1000.0 * ($i + 1);
	$before = $lock->remaining();
	throws(RedisLock\UncertainException::class, fn () => $lock->renew($asked), "$fault: unknown", 'renew');
	between($before - 20.0, $before, $lock->remaining(), "$fault: the old lease stands");
	between(0.95 * $asked, $asked, $ttl(), "$fault: it was executed");
	same([true, $token, $fence], [$lock->isHeld(), $lock->token(), $lock->fence()], "$fault: the ownership is what it was");
	throws(RedisLock\UncertainException::class, fn () => $client->renew('job', $token, $asked + 100.0), "$fault: Client::renew() too", 'renew');
	$proxy->clear();
	same(true, $lock->renew($asked + 200.0), "$fault: the next one tells");
	between(0.95 * ($asked + 200.0), $asked + 200.0, $lock->remaining(), "$fault: and counts");
}

// The answer is lost, and meanwhile somebody else has it: never true.
$worker = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix(), timeout: 60.0))->lock('lost', 60.0);
	$lock->acquire();
	tell('acquired');
	hear();
	tell([$lock->renew(), $lock->isHeld()]);
	PHP, $proxy->dsn());
$worker->hear();
$proxy->onReply('renew', 'hold', then: 'cut');
$worker->tell('renew');
$proxy->waitHeld(1);
same(true, $server->client(prefix())->forceRelease('lost'), 'an operator takes it away');
$other = $server->client(prefix())->lock('lost');
$other->acquire();
$before = lock_state('lost', $redis);
$proxy->release();
same([false, false], $worker->hear(), 'the repeat finds it with somebody else');
same($before, lock_state('lost', $redis), 'who keeps it as it was');
same(['output' => '', 'status' => 0], $worker->end(), 'the worker ends well');
same(true, $lock->release(), 'given back');
done();
?>
--EXPECT--
56 checks passed
