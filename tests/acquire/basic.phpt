--TEST--
A free lock is taken, held and given back
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lock = client()->lock('basic', 30.0);
same(false, $lock->isHeld(), 'a new lock is not held');
same(0.0, $lock->remaining(), 'a new lock has no lease');
same(null, $lock->fence(), 'a new lock has no fence');
same(null, $lock->token(), 'a new lock has no token');
same('basic', $lock->name, 'the name is readable');
same(30.0, $lock->ttl, 'the lease is readable');

$fence = $lock->acquire();
check(is_int($fence) && $fence > 0, 'acquire() returns a fence', fence: $fence);
same(true, $lock->isHeld(), 'it is held');
same($fence, $lock->fence(), 'fence() is what acquire() returned');
check(preg_match('/^[0-9a-f]{32}$/', (string) $lock->token()) === 1, 'the token is 32 lower-case hex digits', token: $lock->token());
between(20.0, 29.7, $lock->remaining(), 'the lease runs, less the drift');

same($lock->token(), redis()->must('GET', lock_key('basic')), 'the lock key holds the token');
between(20000, 30000, redis()->must('PTTL', lock_key('basic')), 'the lock key has the lease as its time to live');
same((string) $fence, redis()->must('GET', fence_key('basic')), 'the fence key holds the fence');

$token = $lock->token();
same(true, $lock->release(), 'release() gives it back');
same(false, $lock->isHeld(), 'it is no longer held');
same(0.0, $lock->remaining(), 'no lease is left');
same(null, $lock->token(), 'no token is left');
same($fence, $lock->fence(), 'fence() is still that of the last acquisition');
same(0, redis()->must('EXISTS', lock_key('basic')), 'the lock key is gone');
same(false, $lock->release(), 'a second release() is false');

$next = $lock->acquire();
check($next > $fence, 'the next fence is larger', first: $fence, second: $next);
check($lock->token() !== $token, 'the next token is another one');
$lock->release();
done();
?>
--EXPECT--
23 checks passed
