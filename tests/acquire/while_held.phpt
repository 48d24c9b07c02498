--TEST--
acquire() and attach() on an object that holds the lock are refused and change nothing
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lock = client()->lock('job', 30.0);
$fence = $lock->acquire();
$token = $lock->token();
$before = lock_state('job');
throws(RedisLock\RedisLockError::class, fn () => $lock->acquire(), 'acquire()');
throws(RedisLock\RedisLockError::class, fn () => $lock->acquire(5.0), 'acquire() with a wait');
throws(RedisLock\RedisLockError::class, fn () => $lock->acquire(0.0, 'mine'), 'acquire() with a token');
throws(RedisLock\RedisLockError::class, fn () => $lock->attach($token), 'attach()');
throws(RedisLock\RedisLockError::class, fn () => $lock->synchronized(fn () => print("called\n")), 'synchronized()');
same($before, lock_state('job'), 'nothing changed in Redis');
same([true, $fence, $token], [$lock->isHeld(), $lock->fence(), $lock->token()], 'nor in the object');
same(true, $lock->release(), 'it can be released');
check($lock->acquire() > $fence, 'and taken again');
$lock->release();
done();
?>
--EXPECT--
9 checks passed
