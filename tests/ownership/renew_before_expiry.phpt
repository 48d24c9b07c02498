--TEST--
A lease that is renewed in time outlives its first end
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lock = client()->lock('job', 2.0);
$lock->acquire();
$first = redis()->must('PEXPIRETIME', lock_key('job'));
$refused = $lost = $taken = 0;
do {
	$refused += $lock->renew() ? 0 : 1;
	$lost += $lock->isHeld() ? 0 : 1;
	$taken += client()->lock('job')->acquire() === null ? 0 : 1;
	[$seconds, $micro] = redis()->must('TIME');
} while ($seconds * 1000 + intdiv((int) $micro, 1000) <= $first + 200);
same(0, $refused, 'every renew() was true');
same(0, $lost, 'it was held all the time');
same(0, $taken, 'nobody else got it');
check(redis()->must('PEXPIRETIME', lock_key('job')) > $first + 200, 'the key lives beyond its first end');
same(true, $lock->release(), 'and it is ours to give back');
done();
?>
--EXPECT--
5 checks passed
