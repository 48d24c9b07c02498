--TEST--
A first fence is the time of the server in microseconds
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$microseconds = function (): int {
	[$seconds, $micro] = redis()->must('TIME');
	return $seconds * 1000000 + $micro;
};
for ($i = 0; $i < 200; $i++) {
	$lock = client()->lock("name $i");
	$before = $microseconds();
	$fence = $lock->acquire();
	between($before, $microseconds(), $fence, 'the fence of a new name');
	$lock->release();
}
$lock = client()->lock('one name');
$last = 0;
$growing = true;
for ($i = 0; $i < 1000; $i++) {
	$before = $microseconds();
	$fence = $lock->acquire();
	$growing = $growing && $fence > $last && $fence >= $before;
	$last = $fence;
	$lock->release();
}
same(true, $growing, 'and so is every later one, and each is larger than the one before');
done();
?>
--EXPECT--
201 checks passed
