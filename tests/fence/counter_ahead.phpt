--TEST--
A stored fence that is ahead of the clock is counted on by one
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

[$seconds] = redis()->must('TIME');
$future = ($seconds + 100 * 365 * 86400) * 1000000;   // a clock that once was a hundred years ahead
redis()->must('SET', fence_key('job'), $future, 'PX', 600000);

$lock = client()->lock('job', 30.0);
for ($i = 1; $i <= 20; $i++) {
	same($future + $i, $lock->acquire(), "acquisition $i");
	$lock->release();
}
$lock->acquire();
$token = $lock->detach();
same($future + 22, $lock->attach($token), 'attach() counts on too');
same((string) ($future + 22), redis()->must('GET', fence_key('job')), 'the fence key has it');
same($future + 22, client()->inspect('job')['fence'], 'inspect() shows it');
$lock->release();

// Nothing is rounded on the way, whether a number is odd or as large as can be.
foreach ([$future + 12345677, 2 ** 53 - 3, 2 ** 53 - 2] as $stored) {
	redis()->must('SET', fence_key('job'), $stored, 'PX', 600000);
	same($stored + 1, $lock->acquire(), "after $stored");
	same((string) ($stored + 1), redis()->must('GET', fence_key('job')), "the fence key after $stored");
	$lock->release();
}
done();
?>
--EXPECT--
29 checks passed
