--TEST--
synchronized(): a callback that releases or detaches decides itself
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lock = client()->lock('job', 60.0);
same('released', $lock->synchronized(function (int $fence, RedisLock $lock) {
	same(true, $lock->release(), 'release() inside');
	return 'released';
}), 'the result comes through');
same(0, redis()->must('EXISTS', lock_key('job')), 'the lock is free');

$other = client()->lock('job', 60.0);
same('given away', $lock->synchronized(function (int $fence, RedisLock $lock) use ($other) {
	$lock->release();
	check($other->acquire() > $fence, 'another one takes it');
	return 'given away';
}), 'released inside, and taken by somebody else');
same([true, $other->token()], [$other->isHeld(), redis()->must('GET', lock_key('job'))], 'who keeps it');
same(true, $other->release(), 'and can give it back');

$token = $lock->synchronized(fn (int $fence, RedisLock $lock) => $lock->detach());
same($token, redis()->must('GET', lock_key('job')), 'detached inside: the lock stays');
same(false, $lock->isHeld(), 'but not with the object');
check($lock->attach($token) > 0, 'and can be taken over');
same(true, $lock->release(), 'and given back');

// Given back and taken again: it is this second ownership that is given back at the end.
$fences = [];
same('again', $lock->synchronized(function (int $fence, RedisLock $lock) use (&$fences) {
	$lock->release();
	$fences = [$fence, $lock->acquire()];
	return 'again';
}), 'acquired again inside');
check($fences[1] > $fences[0], 'with a larger fence', fences: $fences);
wait_until_free('job');
same(false, $lock->isHeld(), 'nothing is left held');

$mine = new DomainException('mine');
$kept = new ArrayObject();
same($mine, throws(DomainException::class, fn () => $lock->synchronized(function (int $fence, RedisLock $lock) use ($mine) {
	$lock->release();
	throw $mine;
}), 'released inside, then an exception'), 'is the same object');
same($mine, throws(DomainException::class, fn () => $lock->synchronized(function (int $fence, RedisLock $lock) use ($mine, $kept) {
	$kept[] = $lock->detach();
	throw $mine;
}), 'detached inside, then an exception'), 'is the same object');
same($kept[0], redis()->must('GET', lock_key('job')), 'the detached lock stays');
same(true, client()->release('job', $kept[0]), 'until its token gives it back');
done();
?>
--EXPECT--
20 checks passed
