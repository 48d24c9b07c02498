--TEST--
After its lease has ended the object can acquire again
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lock = client()->lock('job', 0.05);
// The answer may come after the end of so short a lease: then it is tried again.
$first = $lock->acquire(10.0);
wait_until(fn () => !$lock->isHeld(), 'the lease ends by the local clock');
same(0.0, $lock->remaining(), 'no lease is left');
same(null, $lock->token(), 'it has no token');
same($first, $lock->fence(), 'the fence is that of the last acquisition');
wait_until_free('job');
$second = $lock->acquire(10.0);
check($second > $first, 'acquired again, with a larger fence', first: $first, second: $second);
$lock->release();

// The local clock is over first, by the drift: then the key may still be there, and it is ours.
$lock = client()->lock('slow', 0.5);
$first = $lock->acquire();
redis()->must('PEXPIRE', lock_key('slow'), 60000);
wait_until(fn () => !$lock->isHeld(), 'the lease ends by the local clock');
$second = $lock->acquire();
check($second === null || $second > $first, 'still held by the old token: contention or a new ownership, never the old fence', first: $first, second: $second);
done();
?>
--EXPECT--
5 checks passed
