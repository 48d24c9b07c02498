--TEST--
100,000 cycles in one process: no growth of memory or descriptors
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

const CYCLES = 100000;
// The sanitizers keep freed memory for a while, and find leaks in their own way.
$sanitized = getenv('TEST_ASAN') === '1';
$descriptors = fn (): int => count(scandir('/proc/self/fd'));
$pages = fn (): int => (int) explode(' ', file_get_contents('/proc/self/statm'))[1];

$client = client();
$cycle = function (int $i) use ($client): bool {
	$lock = $client->lock('job ' . $i % 10, 30.0);
	return $lock->acquire() > 0 && $lock->release();
};
$failed = 0;
for ($i = 0; $i < CYCLES / 10; $i++) {
	$failed += $cycle($i) ? 0 : 1;
}
gc_collect_cycles();
$before = [$descriptors(), $pages(), memory_get_usage()];
for (; $i < CYCLES; $i++) {
	$failed += $cycle($i) ? 0 : 1;
}
gc_collect_cycles();
$after = [$descriptors(), $pages(), memory_get_usage()];
same(0, $failed, 'every acquire() and every release() worked');
same($before[0], $after[0], 'no descriptor more');
between(-100000, $sanitized ? PHP_INT_MAX : 25, $after[1] - $before[1], 'no more resident pages than the noise of the allocator');
between(-100000, 4096, $after[2] - $before[2], 'no memory of PHP more');
done();
?>
--EXPECT--
4 checks passed
