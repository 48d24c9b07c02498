--TEST--
Quorum: two of five are stopped (SIGSTOP): everything works
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/gone.inc';

foreach ([false, true] as $tcp) {
	$quorum = Quorum::start(5, $tcp);
	foreach ([[3, 4], [0, 1]] as $gone) {
		minority_gone(
			($tcp ? 'TCP, ' : 'unix sockets, ') . implode(' and ', $gone),
			$quorum,
			$gone,
			fn () => $quorum->client(connectTimeout: LONG, timeout: LONG),
			fn () => $quorum->stop(...$gone),
			fn () => $quorum->cont(...$gone),
		);
	}
}
done();
?>
--EXPECT--
64 checks passed
