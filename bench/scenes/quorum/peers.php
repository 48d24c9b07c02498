<?php
/* Five nodes on this machine: a cycle of acquire and release, against other libraries. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	if (!$bench->peers) {
		return;
	}
	$arena = new Arena();
	$bars = ['redlock-php' => 0.4, 'Symfony CombinedStore' => 0.2];
	$quorum = \Quorum::start(5, tcp: true, ready: false);
	$ways = ['TCP' => $quorum->dsns(), 'unix sockets' => array_map(fn (\RedisServer $node) => $node->dsn(), $quorum->nodes)];
	foreach ($ways as $way => $dsns) {
		$measurers = [];
		foreach (quorum_contenders() as $name => $class) {
			$measurers[$name] = $class === null ? null : new Measurer($class, $dsns, $arena);
		}
		if ($way === 'TCP') {
			$measurers['redislock']->initialize();
		}
		// Once, so that all of them have their connections and the nodes know the scripts.
		array_map(fn (?Measurer $measurer) => $measurer?->run(200, false), $measurers);
		$runs = $bench->repeat(fn () => array_map(fn (?Measurer $measurer) => $measurer === null ? null : cycle_of($measurer->run(1000, false)), $measurers), 2 * $bench->runs);
		array_map(fn (?Measurer $measurer) => $measurer?->end(), $measurers);
		foreach (array_keys(quorum_contenders()) as $name) {
			$cycles = array_column($runs, $name);
			if (in_array(null, $cycles, true)) {
				$bench->report->row("against $name, $way", isset($bars[$name]) ? "≤ {$bars[$name]} ×" : '', 'not measured: it is not here', null);
				continue;
			}
			$bench->report->row("$name: 5 nodes, acquire and release, $way", '', ms(median($cycles)), null);
			if (isset($bars[$name])) {
				$ratio = median(array_map(fn (array $run) => $run['redislock'] / $run[$name], $runs));
				$bench->report->row("against $name, $way", "≤ {$bars[$name]} ×", sprintf('%.2f ×', $ratio), $ratio <= $bars[$name]);
			}
		}
	}
	$bench->count($arena);
};
