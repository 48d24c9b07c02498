<?php
declare(strict_types=1);

require __DIR__ . '/lib/quorum.php';

exit(Bench\run_scenes(__DIR__ . '/scenes/quorum', [
	'nodes_gone',
	'majority_gone',
	'node_hung',
	'peers',
	'network',
], array_slice($argv, 1)));
