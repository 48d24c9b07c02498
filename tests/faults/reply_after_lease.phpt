--TEST--
A grant that arrives after its lease is over is given back and reported
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
$client = $proxy->client(timeout: 60.0);

// The answer is held back until the lease has ended there too.
$proxy->onReply('acquire', 'delay', ms: 300);
$lock = $client->lock('job', 0.1);
throws(RedisLock\LostException::class, fn () => $lock->acquire(), 'too late', 'lease');
same([false, null, 0.0], [$lock->isHeld(), $lock->token(), $lock->remaining()], 'not held');
$proxy->waitAnswered('release', 1);
same(0, $redis->must('EXISTS', lock_key('job')), 'free');
// The object remembers the grant, in case that release does not arrive, and gives it back once more at its end.
unset($lock);
$proxy->waitAnswered('release', 2);

// The command is held back: then the lease is not over there when it is over here, and the release frees it.
$proxy->forget();
$proxy->onCommand('acquire', 'delay', ms: 1500);
$proxy->onCommand('release', 'hold');
$lock = $client->lock('job', 1.0);
throws(RedisLock\LostException::class, fn () => $lock->acquire(), 'too late', 'lease');
$proxy->waitHeld(1);
same(['acquire', 'release'], $proxy->names(), 'given back at once');
same(arguments_of($proxy->log()[0])[0], arguments_of($proxy->log()[1])[0], 'by its token');
$proxy->release();
$proxy->waitAnswered('release', 1);
same(0, $redis->must('EXISTS', lock_key('job')), 'free');

// Within a wait it is tried again.
$proxy->forget();
$proxy->onReply('acquire', 'delay', ms: 300, times: 2);
$lock = $client->lock('job', 0.2);
check($lock->acquire(30.0) > 0, 'the third one, or a later one, is in time');
check($proxy->count('acquire') >= 3, 'the first two were not', count: $proxy->count('acquire'));

// And if none is in time, the end of the wait says so.
$lock = $client->lock('slow', 0.1);
$proxy->onReply('acquire', 'delay', ms: 300, times: 0);
throws(RedisLock\LostException::class, fn () => $lock->acquire(1.0), 'to the end of the wait', 'lease');
$called = false;
throws(RedisLock\LostException::class, function () use ($lock, &$called) {
	$lock->synchronized(function () use (&$called) { $called = true; });
}, 'synchronized()', 'lease');
same(false, $called, 'and the callback was not called');
$proxy->clear();

// With a token of the caller it is given back too: this grant is known to be ours.
$proxy->onCommand('acquire', 'delay', ms: 1500);
throws(RedisLock\LostException::class, fn () => $client->lock('chosen', 1.0)->acquire(0.0, 'owner'), 'a chosen token', 'lease');
$proxy->waitQuiet();
same(0, $redis->must('EXISTS', lock_key('chosen')), 'free');

// The same for a renewal: true would be a lie, and the lock was ours.
$lock = $client->lock('renew', 1.0);
$lock->acquire();
$proxy->onReply('renew', 'delay', ms: 2000);
$result = $lock->renew();
same($result, $lock->isHeld(), 'what renew() says is what isHeld() says after it');
done();
?>
--EXPECT--
15 checks passed
