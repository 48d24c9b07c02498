--TEST--
attach() takes over a lock that another library took, and gives a key without time to live a lease
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$last = 0;
$lock = client()->lock('job', 45.0);
foreach (['abc', '{"owner":"node-7"}', "binary \0\xff", str_repeat('x', 1000), '12345'] as $token) {
	// In between another library takes the lock: it knows nothing of fences.
	same('OK', redis()->must('SET', lock_key('job'), $token, 'NX', 'PX', 20000), 'another library takes it');
	same(null, $lock->acquire(), 'it is held');
	$expires = redis()->must('PEXPIRETIME', lock_key('job'));
	$fence = $lock->attach($token);
	check($fence > $last, 'a larger fence each time', last: $last, fence: $fence);
	$last = $fence;
	same($token, $lock->token(), 'token() is the one of the other library');
	same($expires, redis()->must('PEXPIRETIME', lock_key('job')), 'the lease is the one it had');
	between(0.1, 20.0, $lock->remaining(), 'remaining() is what is left of that, not our lease');
	same(true, $lock->release(), 'released');

	$fence = $lock->acquire();
	check($fence > $last, 'and ours in between have larger ones too', last: $last, fence: $fence);
	$last = $fence;
	same(true, $lock->release(), 'released');
}

redis()->must('SET', lock_key('job'), 'for ever');
same(-1, redis()->must('PTTL', lock_key('job')), 'a key without time to live');
$fence = $lock->attach('for ever');
check($fence > $last, 'a larger fence', last: $last, fence: $fence);
between(30000, 45000, redis()->must('PTTL', lock_key('job')), 'has our lease now');
between(30.0, 45.0, $lock->remaining(), 'and so have we');
same(true, $lock->release(), 'released');
done();
?>
--EXPECT--
50 checks passed
