--TEST--
A hundred locks are given back at the end of a script
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$ended = run_php('$locks = []; for ($i = 0; $i < 100; $i++) { $locks[$i] = client()->lock("job $i", 60.0); $locks[$i]->acquire(); } echo "held";');
same(['output' => 'held', 'status' => 0], $ended, 'a script that holds a hundred locks and ends');
wait_until(fn () => redis()->must('EXISTS', ...array_map(fn (int $i) => lock_key("job $i"), range(0, 99))) === 0, 'all are given back');
$left = 0;
for ($i = 0; $i < 100; $i++) {
	$left += redis()->must('EXISTS', fence_key("job $i"));
}
same(100, $left, 'each had been taken');
done();
?>
--EXPECT--
2 checks passed
