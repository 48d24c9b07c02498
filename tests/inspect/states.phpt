--TEST--
inspect() for every state of a lock
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$client = client();
$empty = ['held' => false, 'token' => null, 'remaining' => null, 'fence' => null, 'waiters' => false];
same($empty, $client->inspect('job'), 'never heard of');
same(0, redis()->must('EXISTS', lock_key('job'), fence_key('job')), 'looking makes nothing');

$lock = $client->lock('job', 60.0);
$fence = $lock->acquire();
$before = lock_state('job');
$seen = $client->inspect('job');
between(50.0, 60.0, $seen['remaining'], 'held: remaining in seconds');
same(['held' => true, 'token' => $lock->token(), 'remaining' => $seen['remaining'], 'fence' => $fence, 'waiters' => false], $seen, 'held: the rest');
same($before, lock_state('job'), 'looking changes nothing');
$lock->release();
same(['fence' => $fence] + $empty, array_merge(['fence' => null], $client->inspect('job')), 'given back: the last fence is known');
redis()->must('DEL', fence_key('job'));
same($empty, $client->inspect('job'), 'the fence key is lost');

redis()->must('SET', lock_key('job'), "other\0library");
same(['held' => true, 'token' => "other\0library", 'remaining' => INF, 'fence' => null, 'waiters' => false], $client->inspect('job'), 'a lock without a time to live');
redis()->must('SET', lock_key('job'), 'soon over', 'PX', 1500);
between(0.0, 1.5, $client->inspect('job')['remaining'], 'a short rest is a fraction');
redis()->must('SET', lock_key('job'), 'handoff:123', 'PX', 60000);
same($empty, $client->inspect('job'), 'a reservation for a waiter is not held');
redis()->must('SET', side_key(lock_key('job'), 'wait'), '1', 'PX', 60000);
same(true, $client->inspect('job')['waiters'], 'somebody waits');
redis()->must('DEL', lock_key('job'), side_key(lock_key('job'), 'wait'));

foreach (['abc' => null, '-1' => null, '123' => 123, (string) (2 ** 53 - 1) => 2 ** 53 - 1, (string) (2 ** 53) => null, str_repeat('9', 400) => null] as $stored => $shown) {
	redis()->must('SET', fence_key('job'), (string) $stored, 'PX', 60000);
	same($shown, $client->inspect('job')['fence'], 'a stored fence of ' . substr((string) $stored, 0, 20));
}
redis()->must('DEL', fence_key('job'));
redis()->must('RPUSH', fence_key('job'), 'x');
same(null, $client->inspect('job')['fence'], 'a fence key of another type');
redis()->must('DEL', fence_key('job'));
redis()->must('RPUSH', lock_key('job'), 'x');
server_error('WRONGTYPE', fn () => $client->inspect('job'), 'a lock key of another type');
redis()->must('DEL', lock_key('job'));
done();
?>
--EXPECT--
20 checks passed
