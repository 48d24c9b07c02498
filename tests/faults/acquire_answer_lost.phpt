--TEST--
Answers to acquire are lost: repeated, remembered, given back
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
$holder = fn (string $name) => $redis->must('GET', lock_key($name));

foreach (['cut', 'swallow', 'truncate'] as $fault) {
	foreach (['onCommand' => 'not executed', 'onReply' => 'executed'] as $where => $what) {
		$name = "$fault, $what";
		$proxy->forget();
		$proxy->$where('acquire', $fault, keep: 3);
		$lock = $client->lock($name, 60.0);
		$fence = $lock->acquire();
		same("$fence", $redis->must('GET', fence_key($name)), "$name: one fence was handed out, and it is ours");
		same($lock->token(), $holder($name), "$name: the lock is held by our last token");
		same(2, $proxy->count('acquire'), "$name: sent twice");
		same(true, $lock->release(), "$name: given back");
	}
}

// All answers of a call are lost. What was taken is overwritten by the next acquire of the object, with a fence of
// its own: the stored one was handed out to nobody, but after a fail-over or an old snapshot that cannot be known.
$lock = $client->lock('again', 60.0);
$proxy->onReply('acquire', 'cut', times: 2);
throws(RedisLock\UncertainException::class, fn () => $lock->acquire(), 'unknown', 'acquire');
check($holder('again') !== null, 'it was taken');
same([false, null, 0.0], [$lock->isHeld(), $lock->token(), $lock->remaining()], 'but the object does not rely on it');
throws(RedisLock\RedisLockError::class, fn () => $lock->detach(), 'there is nothing to hand over');
same(false, $lock->renew(), 'nor to renew');
same(null, $server->client(prefix())->lock('again')->acquire(), 'for others it is held');
$fence = $redis->must('GET', fence_key('again'));
check($lock->acquire() > (int) $fence, 'the next acquire of the object has it');
same($lock->token(), $holder('again'), 'under its own token');
same(true, $lock->release(), 'given back');

// Or release() gives back what may have been taken.
$lock = $client->lock('release', 60.0);
$proxy->onReply('acquire', 'cut', times: 2);
throws(RedisLock\UncertainException::class, fn () => $lock->acquire(), 'unknown', 'acquire');
check($holder('release') !== null, 'it was taken');
same(true, $lock->release(), 'release() gives it back');
same(null, $holder('release'), 'free');
same(false, $lock->release(), 'once');

// Nothing was taken: release() says so.
$lock = $client->lock('nothing', 60.0);
$proxy->onCommand('acquire', 'cut', times: 2);
throws(RedisLock\UncertainException::class, fn () => $lock->acquire(), 'unknown', 'acquire');
same(null, $holder('nothing'), 'nothing was taken');
same(false, $lock->release(), 'release() finds nothing');

// Or the end of the object does.
$lock = $client->lock('destructor', 60.0);
$proxy->onReply('acquire', 'cut', times: 2);
throws(RedisLock\UncertainException::class, fn () => $lock->acquire(), 'unknown', 'acquire');
check($holder('destructor') !== null, 'it was taken');
unset($lock);
wait_until_free('destructor', $redis);
same(null, $holder('destructor'), 'the destructor gives it back');

// Without autoRelease it does not.
$lock = $client->lock('by hand', 60.0, false);
$proxy->onReply('acquire', 'cut', times: 2);
throws(RedisLock\UncertainException::class, fn () => $lock->acquire(), 'unknown', 'acquire');
unset($lock);
$proxy->waitQuiet();
check($holder('by hand') !== null, 'without autoRelease it stays');

// More sends than the object remembers: a long wait on a server that answers nothing.
$lock = $proxy->client(timeout: 0.05)->lock('many', 60.0);
$proxy->forget();
$proxy->onReply('acquire', 'swallow', times: 0);
throws(RedisLock\UncertainException::class, fn () => $lock->acquire(5.0), 'unknown', 'acquire');
check($proxy->count('acquire') > 16, 'it was tried many times', count: $proxy->count('acquire'));
$proxy->clear();
$fence = (int) $redis->must('GET', fence_key('many'));
check($lock->acquire() >= $fence, 'the next acquire gets it at once');
same(true, $lock->release(), 'given back');
same(null, $holder('many'), 'free');
done();
?>
--EXPECT--
51 checks passed
