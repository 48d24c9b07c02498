--TEST--
A waiter gets the lock when the lease of a holder that is gone ends
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';
require __DIR__ . '/../include/process.inc';

$holder = new Worker(<<<'PHP'
	$lock = client()->lock('job', 0.6);
	tell($lock->acquire());
	hear();
	PHP);
$first = $holder->hear();
check($first > 0, 'the holder has it');
$holder->signal('KILL');
same(128 + 9, $holder->end()['status'], 'the holder is killed');

$lock = client()->lock('job', 30.0);
$second = $lock->acquire(60.0);
check($second > $first, 'the waiter has a larger fence', first: $first, second: $second);
same($lock->token(), redis()->must('GET', lock_key('job')), 'the key holds its token');
between(10000, 30000, redis()->must('PTTL', lock_key('job')), 'and its lease');
same(true, $lock->release(), 'it gives it back');
done();
?>
--EXPECT--
6 checks passed
