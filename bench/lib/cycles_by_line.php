<?php
/* cycles_by_line.php DSN: for each line with a number of cycles, runs them and prints the nanoseconds that they took. */
declare(strict_types=1);

$lock = (new RedisLock\Client($argv[1], 'bench:'))->lock('cycle:1', 30.0);
while (($line = fgets(STDIN)) !== false) {
	$begin = hrtime(true);
	for ($i = (int) $line; $i > 0; $i--) {
		$lock->acquire() ?? throw new LogicException('the lock was not free');
		$lock->release() || throw new LogicException('the lock was not ours');
	}
	echo hrtime(true) - $begin, "\n";
}
