--TEST--
The fence key is lost while the lock is held: everything still works
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lose = fn () => same(1, redis()->must('DEL', fence_key('job')), 'the fence key is lost');
$client = client();
$lock = $client->lock('job', 30.0);

$fence = $lock->acquire();
$lose();
same(true, $lock->renew(60.0), 'renew()');
same($fence, $lock->fence(), 'the holder keeps its fence');
same(null, $client->lock('job')->acquire(), 'others find it held');
same(true, $client->inspect('job')['held'], 'inspect(): held');
same(null, $client->inspect('job')['fence'], 'inspect(): no fence is known');
same(true, $client->renew('job', $lock->token(), 70.0), 'renew() of the client');
same(true, $lock->release(), 'release()');
same(0, redis()->must('EXISTS', lock_key('job')), 'the lock is free');
$second = $lock->acquire();
check($second > $fence, 'the next fence is larger', first: $fence, second: $second);

$lose();
$token = $lock->detach();
$third = $lock->attach($token);
check($third > $second, 'handed over, with a larger fence', second: $second, third: $third);
$lose();
same(true, $lock->release(), 'release() after the hand-over');
$fourth = $lock->acquire();
check($fourth > $third, 'acquired again, with a larger fence', third: $third, fourth: $fourth);

// An owner string chosen by the caller: its release compares the fence where there is one.
$lock->release();
$chosen = $client->lock('job', 30.0);
$fifth = $chosen->acquire(0.0, 'worker 7');
check($fifth > $fourth, 'acquired with a chosen token');
$lose();
same(true, $chosen->renew(), 'renew() with a chosen token');
same(true, $chosen->release(), 'release() with a chosen token');
$sixth = $chosen->acquire(0.0, 'worker 7');
check($sixth > $fifth, 'and acquired again, with a larger fence', fifth: $fifth, sixth: $sixth);
$lose();
same(true, $client->release('job', 'worker 7'), 'release() of the client');
$lock = $client->lock('job', 30.0);
check($lock->acquire() > $sixth, 'the last fence is the largest');
$lose();
same(true, $client->forceRelease('job'), 'forceRelease()');
same(0, redis()->must('EXISTS', lock_key('job')), 'the lock is free');
done();
?>
--EXPECT--
26 checks passed
