--TEST--
Each call adds to the counters what it did, and nothing else
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';

$client = client();
$other = $client->lock('job', 60.0);
$lock = $client->lock('job', 60.0);

// Taking it.
adds(['attempts' => 1, 'acquired' => 1], fn () => $lock->acquire(), 'acquire()');
adds(['attempts' => 1, 'refused' => 1, 'contended' => 1], fn () => $other->acquire(), 'acquire() of what another holds');
adds(['attempts' => 1, 'timed_out' => 1, 'contended' => 1], fn () => $other->acquire(0.05), 'a wait in vain');
adds([], failing(RedisLock\RedisLockError::class, fn () => $lock->acquire()), 'misuse is no attempt');
adds([], failing(ValueError::class, fn () => $other->acquire(-1.0)), 'nor is a wrong argument');

// Keeping it.
adds(['renewed' => 1], fn () => $lock->renew(), 'renew()');
adds(['renewed' => 1], fn () => $lock->renew(90.0), 'renew() for longer');
adds([], fn () => $other->renew(), 'renew() of what we never had');
adds([], fn () => [$lock->isHeld(), $lock->remaining(), $lock->fence(), $lock->token(), $client->inspect('job')], 'looking at it');

// Giving it back.
adds(['released' => 1], fn () => $lock->release(), 'release()');
adds([], fn () => $lock->release(), 'a second time there is nothing to give back');
adds(['attempts' => 1, 'acquired' => 1, 'released_automatically' => 1], function () use ($client) {
	$lock = $client->lock('job', 60.0);
	$lock->acquire();
	unset($lock);
}, 'by the end of the object');
adds(['attempts' => 1, 'acquired' => 1, 'released' => 1], fn () => $lock->synchronized(fn () => true), 'synchronized()');
adds(['attempts' => 1, 'acquired' => 1], function () use ($client) {
	$lock = $client->lock('kept', 60.0, false);
	$lock->acquire();
	unset($lock);
}, 'without autoRelease nobody gives it back');

// A process of its own: what it detaches has no end there, what it attaches has no attempt here.
$token = null;
adds(['attempts' => 1, 'acquired' => 1], function () use ($lock, &$token) {
	$lock->acquire();
	$token = $lock->detach();
}, 'detach()');
adds(['attached' => 1, 'released' => 1], function () use ($other, &$token) {
	$other->attach($token);
	$other->release();
}, 'attach() and release()');
adds([], fn () => $other->attach('nobody'), 'attach() of what that token does not hold');

// By name and token.
$lock->acquire();
$token = $lock->detach();
adds(['renewed' => 1], fn () => $client->renew('job', $token, 60.0), 'Client::renew()');
adds(['renewals_refused' => 1], fn () => $client->renew('job', 'x', 60.0), 'Client::renew() with another token');
adds(['released_late' => 1], fn () => $client->release('job', 'x'), 'Client::release() with another token');
adds(['released' => 1], fn () => $client->release('job', $token), 'Client::release()');

// The lease was over.
$expire = function (float $ttl = 0.3) use ($client): RedisLock {
	$lock = $client->lock('expires', $ttl);
	$lock->acquire();
	wait_until(fn () => !$lock->isHeld(), 'the lease is over');
	return $lock;
};
$late = $expire();
adds(['released_late' => 1], fn () => $late->release(), 'release() after the lease');
$late = $expire();
wait_until_free('expires');
adds(['renewals_refused' => 1, 'released_late' => 1], fn () => $late->renew(), 'renew() after the lease: that is the end of it');
adds([], fn () => $late->release(), 'release() after that has nothing to end');
$late = $expire();
adds(['attempts' => 1, 'acquired' => 1, 'released_late' => 1], fn () => $late->acquire(), 'acquire() after the lease gives back the old one');
$late->release();
$late = $expire();
adds(['released_late' => 1], function () use (&$late) {
	$late = null;
}, 'the end of the object after the lease');
adds(['attempts' => 1, 'acquired' => 1, 'released_late' => 1], failing(RedisLock\LostException::class, fn () => $client->lock('expires', 0.3)->synchronized(function (int $fence, RedisLock $lock) {
	wait_until(fn () => !$lock->isHeld(), 'the lease is over');
})), 'synchronized() after the lease');
$late = $expire();
$client->lock('expires', 60.0, false)->acquire(30.0, 'owner');
adds(['attached' => 1, 'released_late' => 1], fn () => $late->attach('owner'), 'attach() after the lease ends the old one');
$late->release();

// The fence is ahead of the server's clock: a little, as after every jump of it, or too much.
foreach ([10 => [], 3600 => ['fences_ahead' => 1]] as $seconds => $expected) {
	redis()->must('SET', fence_key('clock'), (string) ((int) (microtime(true) * 1e6) + $seconds * 1_000_000));
	adds(['attempts' => 1, 'acquired' => 1, 'released' => 1] + $expected, fn () => $client->lock('clock')->synchronized(fn () => true), "$seconds s ahead of the clock");
}

// It was gone, and the lease was not over.
$lock->acquire();
$client->forceRelease('job');
adds(['lost' => 1], fn () => $lock->release(), 'release() after somebody forced it');
$lock->acquire();
$client->forceRelease('job');
adds(['lost' => 1, 'renewals_refused' => 1], fn () => $lock->renew(), 'renew() after somebody forced it');
$lock->acquire();
redis()->must('DEL', lock_key('job'));
adds(['lost' => 1], fn () => $lock->release(), 'release() after its key was deleted');
adds(['attempts' => 1, 'acquired' => 1, 'lost' => 1], failing(RedisLock\LostException::class, fn () => $lock->synchronized(fn () => redis()->must('DEL', lock_key('job')))), 'synchronized() when its key was deleted');
done();
?>
--EXPECT--
34 checks passed
