--TEST--
While isHeld() is true the key is there: the local clock errs on the safe side
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

foreach ([0.05, 0.2, 2.0] as $ttl) {
	$lock = client()->lock("lease of $ttl", $ttl);
	// The answer may come after the end of so short a lease: then it is tried again.
	$lock->acquire(10.0);
	$wrong = $looks = 0;
	$largest = $ttl;
	$growing = false;
	do {
		// The key first, then the clock: a lease that is still valid afterwards was valid before.
		$there = redis()->must('GET', lock_key("lease of $ttl"));
		$held = $lock->isHeld();
		$token = $lock->token();
		$remaining = $lock->remaining();
		$wrong += $held && $there === null ? 1 : 0;
		$wrong += !$held && ($remaining !== 0.0 || $token !== null) ? 1 : 0;
		$growing = $growing || $remaining > $largest;
		$largest = $remaining;
		$looks++;
	} while ($held);
	same(0, $wrong, "$ttl s: isHeld() was never true without the key");
	same(false, $growing, "$ttl s: remaining() never grew, and was never more than the lease");
	// A machine that is busy may not get to look at the shorter ones in time.
	check($looks > 2 || $ttl < 1.0, "$ttl s: there was a time in which it was held", looks: $looks);
	same(0.0, $lock->remaining(), "$ttl s: nothing remains");
}

// The drift: 1 % and 2 ms.
$lock = client()->lock('drift', 100.0);
$lock->acquire();
between(90.0, 98.998, $lock->remaining(), 'the drift is taken off');
$lock->release();
done();
?>
--EXPECT--
13 checks passed
