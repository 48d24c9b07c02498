--TEST--
synchronized(): a lease that is over when the callback returns is a LostException with its result
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$outlive = function (RedisLock $lock): void {
	wait_until(fn () => !$lock->isHeld(), 'the lease ends by the local clock');
	wait_until_free($lock->name);
};
// Over, and nobody else there. With a wait, because on a busy machine the answer may come after so short a lease: then it is
// tried again.
$lock = client()->lock('job', 0.05);
$result = new stdClass();
$lost = throws(RedisLock\LostException::class, fn () => $lock->synchronized(function (int $fence, RedisLock $lock) use ($outlive, $result) {
	$outlive($lock);
	return $result;
}, 10.0), 'the lease is over');
same($result, $lost->result, 'the result is in it');
check(!$lost instanceof RedisLock\FailureException, 'that is not a failure of Redis');
same(false, $lock->isHeld(), 'the lock is not held');
same(0, redis()->must('EXISTS', lock_key('job')), 'and nothing is left');

// Over, and somebody else has it.
$other = client()->lock('job', 60.0);
$lost = throws(RedisLock\LostException::class, fn () => $lock->synchronized(function (int $fence, RedisLock $lock) use ($outlive, $other) {
	$outlive($lock);
	check($other->acquire() > $fence, 'somebody else takes it');
	return 'late';
}, 10.0), 'taken over');
same('late', $lost->result, 'the result is in it');
same([true, $other->token()], [$other->isHeld(), redis()->must('GET', lock_key('job'))], 'the new holder has it');
same(true, $other->release(), 'and can give it back');

// Taken away while the local lease still runs: found out by the release.
$lock = client()->lock('job', 60.0);
$lost = throws(RedisLock\LostException::class, fn () => $lock->synchronized(function () {
	redis()->must('DEL', lock_key('job'));
	return ['half' => 'done'];
}), 'taken away');
same(['half' => 'done'], $lost->result, 'the result is in it');
$lost = throws(RedisLock\LostException::class, fn () => $lock->synchronized(function () use ($other) {
	client()->forceRelease('job');
	$other->acquire();
	return null;
}), 'taken away and given to somebody else');
same(null, $lost->result, 'also a result of null');
same(true, $other->release(), 'the new holder did not notice');

// An exception of the callback always comes through unchanged, whatever became of the lease.
$lock = client()->lock('job', 0.05);
$mine = new DomainException('mine');
same($mine, throws(DomainException::class, fn () => $lock->synchronized(function (int $fence, RedisLock $lock) use ($outlive, $mine) {
	$outlive($lock);
	throw $mine;
}, 10.0), 'an exception after the lease ended'), 'is the same object');
same(null, $mine->getPrevious(), 'unchanged');

// What was renewed is not lost.
$lock = client()->lock('job', 1.0);
same('renewed', $lock->synchronized(function (int $fence, RedisLock $lock) {
	$end = redis()->must('PEXPIRETIME', lock_key('job'));
	$lock->renew(60.0);
	wait_until(function () use ($end) {
		[$seconds, $micro] = redis()->must('TIME');
		return $seconds * 1000 + intdiv((int) $micro, 1000) > $end;
	}, 'the first lease is over');
	return 'renewed';
}), 'renewed in time');
done();
?>
--EXPECT--
19 checks passed
