<?php
/* one_cycle.php CLASS SOCKET CYCLES: cycles of one contender, and nothing else. */
declare(strict_types=1);

require __DIR__ . '/cycle.php';

Bench\cycles();
$cycle = new $argv[1](Bench\Address::path($argv[2]));
for ($i = 0; $i < (int) $argv[3]; $i++) {
	$cycle->run();
}
