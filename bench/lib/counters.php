<?php
/* One round of bench/counters: php counters.php SOCKET CYCLES prints the nanoseconds of one acquire and release. */
declare(strict_types=1);

[, $socket, $cycles] = $argv;
$lock = (new RedisLock\Client("unix://$socket", 'bench:'))->lock('cycle:1', 30.0);
for ($i = 0; $i < 100; $i++) {
	$lock->acquire();
	$lock->release();
}
$begin = hrtime(true);
for ($i = 0; $i < $cycles; $i++) {
	$lock->acquire();
	$lock->release();
}
echo intdiv(hrtime(true) - $begin, (int) $cycles), "\n";
