--TEST--
A plain SET NX PX of another library and our lock exclude each other
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$set = fn (string $value, int $ms = 60000) => redis()->must('SET', lock_key('job'), $value, 'NX', 'PX', $ms);
$lock = client()->lock('job', 30.0);

same('OK', $set('theirs'), 'they take it');
$before = lock_state('job');
same(null, $lock->acquire(), 'we do not get it');
same(null, $lock->acquire(0.05), 'nor by waiting');
same(false, $lock->renew(), 'we cannot renew it');
same(false, $lock->release(), 'we cannot release it');
same(false, client()->release('job', 'not theirs'), 'nor by another token');
same(false, client()->renew('job', 'not theirs', 90.0), 'nor renew it');
$seen = client()->inspect('job');
same([true, 'theirs'], [$seen['held'], $seen['token']], 'inspect() shows it');
same($before, lock_state('job'), 'they do not notice');

redis()->must('DEL', lock_key('job'));
check($lock->acquire() > 0, 'we take it');
same(null, $set('theirs'), 'they do not get it');
same($lock->token(), redis()->must('GET', lock_key('job')), 'the key is ours');
same(true, $lock->release(), 'we give it back');
wait_until_free('job');
same('OK', $set('theirs', 50), 'they take it');
wait_until_free('job');
check($lock->acquire() > 0, 'their lease is over: we take it');
same(null, $set('theirs'), 'they do not get it');
$lock->release();

// A lock without a time to live, as careless code leaves it, is held for ever.
redis()->must('SET', lock_key('job'), 'careless');
same(null, $lock->acquire(), 'held, without a lease');
same(null, $lock->acquire(0.05), 'and stays so');
same(-1, redis()->must('PTTL', lock_key('job')), 'what others made is not touched');
same(INF, client()->inspect('job')['remaining'], 'inspect() says so');
same('careless', redis()->must('GET', lock_key('job')), 'the value is theirs');
same(true, client()->forceRelease('job'), 'an operator can remove it');
check($lock->acquire() > 0, 'then it can be taken');
$lock->release();
done();
?>
--EXPECT--
23 checks passed
