--TEST--
renew() makes the lease longer and never shorter
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
$expires = fn () => redis()->must('PEXPIRETIME', lock_key('job'));

$before = $expires();
same(true, $lock->renew(60.0), 'longer');
between($before + 29000, $before + 60000, $expires(), 'the key lives longer');
between(50.0, 59.4, $lock->remaining(), 'the local lease too');

$before = $expires();
same(true, $lock->renew(1.0), 'a shorter one is true, because the lease lasts at least that long');
same($before, $expires(), 'but nothing was shortened');
between(40.0, 59.4, $lock->remaining(), 'nor locally');
same(true, $lock->renew(), 'null is the lease of the constructor');
same($before, $expires(), 'and that is shorter too');

redis()->must('PEXPIRE', lock_key('job'), 5000);
same(true, $lock->renew(), 'null is the lease of the constructor');
between(25000, 30000, redis()->must('PTTL', lock_key('job')), 'now it is longer than what was left');
same(true, $lock->renew(RedisLock::MAX_TTL), 'the longest');
between((int) (RedisLock::MAX_TTL * 1000) - 60000, (int) (RedisLock::MAX_TTL * 1000), redis()->must('PTTL', lock_key('job')), 'lives for 31 days');

// Somebody took the time to live away: a lock always has one.
redis()->must('PERSIST', lock_key('job'));
same(true, $lock->renew(20.0), 'a key without time to live');
between(10000, 20000, redis()->must('PTTL', lock_key('job')), 'has one again');

same([$fence, $token], [$lock->fence(), $lock->token()], 'fence and token stay the same');
same((string) $fence, redis()->must('GET', fence_key('job')), 'also in Redis');
same(true, $lock->release(), 'released');
same(false, $lock->renew(), 'a released lock cannot be renewed');
same(false, $lock->renew(60.0), 'by no lease');
same(0, redis()->must('EXISTS', lock_key('job')), 'nothing was created');
done();
?>
--EXPECT--
20 checks passed
