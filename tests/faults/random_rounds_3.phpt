--TEST--
Random rounds through a proxy that cuts, delays, truncates and swallows: no answer is wrong, nothing is left or grows (3)
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/random_rounds.inc';
done();
?>
--EXPECT--
6 checks passed
