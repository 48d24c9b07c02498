--TEST--
acquire() with a wait is null at the end of the wait, not before
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$holder = client()->lock('busy', 60.0);
$holder->acquire();
$before = lock_state('busy');
foreach ([0.001, 0.05, 0.3] as $wait) {
	$begin = hrtime(true);
	same(null, client()->lock('busy')->acquire($wait), "waited $wait s");
	$passed = (hrtime(true) - $begin) / 1e9;
	// The upper bound only says that it ends: machines that test are slow at times.
	between($wait, $wait + 10.0, $passed, "it took at least $wait s");
}
same($before, lock_state('busy'), 'the holder did not notice');
$holder->release();
done();
?>
--EXPECT--
7 checks passed
