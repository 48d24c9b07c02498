<?php
declare(strict_types=1);

namespace Bench;

require __DIR__ . '/lib/cycle.php';
require __DIR__ . '/lib/quorum.php';
require __DIR__ . '/lib/results.php';

$options = getopt('', ['runs:', 'soak:', 'no-peers', 'into:', 'check']);
$folder = $options['into'] ?? __DIR__;
$results = new Results($folder);
$began = now();
$missed = false;
foreach ([
	'A free lock' => ['cost', ['cycle', 'destruction', 'fpm', 'instructions', 'script', 'counters', 'memory']],
	'Waiting' => ['waiting', ['latency', 'chain', 'order', 'slow_holders', 'fairness', 'stopped_waiters', 'dead_path', 'on_time', 'patience', 'connections', 'peers', 'crowds', 'soak']],
	'A quorum of five' => ['quorum', ['nodes_gone', 'node_hung', 'peers', 'network']],
] as $title => [$group, $scenes]) {
	$bench = new Bench((int) ($options['runs'] ?? 5), (int) ($options['soak'] ?? 60), !isset($options['no-peers']));
	measure($bench, __DIR__ . "/scenes/$group", $scenes);
	$results->section($title, $bench);
	$missed = $missed || $bench->report->isMissed();
	$bench->report->print();
	echo "\n";
}
$results->write($began);
fprintf(STDERR, "written: %s\n", realpath("$folder/RESULTS.md"));
exit(isset($options['check']) && $missed ? 1 : 0);
