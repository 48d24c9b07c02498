<?php
declare(strict_types=1);

require __DIR__ . '/lib/bench.php';

exit(Bench\run_scenes(__DIR__ . '/scenes/waiting', [
	'latency',
	'chain',
	'order',
	'slow_holders',
	'fairness',
	'stopped_waiters',
	'dead_path',
	'on_time',
	'patience',
	'connections',
	'peers',
	'crowds',
	'soak',
], array_slice($argv, 1)));
