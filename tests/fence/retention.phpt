--TEST--
The fence key outlives the lock by the retention, and never by less than two leases
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lock = client()->lock('short', 30.0);
$lock->acquire();
between(604800000 - 60000, 604800000, redis()->must('PTTL', fence_key('short')), 'the default retention is a week');
redis()->must('PEXPIRE', fence_key('short'), 5000);
$lock->release();
$lock->acquire();
between(604800000 - 60000, 604800000, redis()->must('PTTL', fence_key('short')), 'each acquisition begins it anew');
$lock->release();

$lock = client()->lock('long', RedisLock::MAX_TTL);
$lock->acquire();
between(2 * 2678400000 - 60000, 4 * 2678400000, redis()->must('PTTL', fence_key('long')), 'twice the longest lease is longer');
$lock->release();

ini_set('redislock.fence_retention', '3600');
$lock = client()->lock('by setting', 30.0);
$lock->acquire();
between(3600000 - 60000, 3600000, redis()->must('PTTL', fence_key('by setting')), 'redislock.fence_retention is respected');
$token = $lock->detach();
$other = client()->lock('by setting', 30.0);
redis()->must('PEXPIRE', fence_key('by setting'), 5000);
$other->attach($token);
between(3600000 - 60000, 3600000, redis()->must('PTTL', fence_key('by setting')), 'attach() begins it anew too');
$other->release();
done();
?>
--EXPECT--
5 checks passed
