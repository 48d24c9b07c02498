<?php
declare(strict_types=1);

require __DIR__ . '/lib/cycle.php';

exit(Bench\run_scenes(__DIR__ . '/scenes/cost', [
	'cycle',
	'destruction',
	'script',
	'memory',
	'counters',
	'fpm',
	'instructions',
], array_slice($argv, 1)));
