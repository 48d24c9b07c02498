--TEST--
Every name has its own fences
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

[$seconds] = redis()->must('TIME');
$ahead = ($seconds + 86400) * 1000000;
redis()->must('SET', fence_key('ahead'), $ahead, 'PX', 600000);
$a = client()->lock('ahead');
$b = client()->lock('not ahead');
same($ahead + 1, $a->acquire(), 'one name counts on from its own');
check($b->acquire() < $ahead, 'another one is not carried along');
// The same name below another prefix is another name.
$c = client(prefix() . 'other:')->lock('ahead');
check($c->acquire() < $ahead, 'nor is the same name below another prefix');
foreach ([$a, $b, $c] as $lock) {
	same(true, $lock->release(), 'released');
}
done();
?>
--EXPECT--
6 checks passed
