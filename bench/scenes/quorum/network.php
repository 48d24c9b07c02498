<?php
/* A network with a round trip of a millisecond to every node: five nodes against one. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$arena = new Arena();
	$quorum = \Quorum::start(5, ready: false);
	$proxy = new DelayProxy($quorum->nodes, 1000);
	$dsns = array_map($proxy->dsn(...), $quorum->all());
	$measurers = [
		'redislock, one node' => new Measurer(RedisLockQuorum::class, [$dsns[0]], $one = new Arena()),
		'redislock, 5 nodes' => (new Measurer(RedisLockQuorum::class, $dsns, $arena))->initialize(),
	];
	foreach ($bench->peers ? quorum_contenders() : [] as $name => $class) {
		if ($name !== 'redislock' && $class !== null) {
			$measurers["$name, 5 nodes"] = new Measurer($class, $dsns, new Arena());
		}
	}
	array_map(fn (Measurer $measurer) => $measurer->run(50, false), $measurers);
	$runs = $bench->repeat(fn () => array_map(fn (Measurer $measurer) => cycle_of($measurer->run(200, false)), $measurers));
	$names = array_keys($measurers);
	array_map(fn (Measurer $measurer) => $measurer->end(), $measurers);
	$bench->count($one);
	$bench->count($arena);
	foreach ($names as $name) {
		$bench->report->row("$name, 1 ms of network: acquire and release", '', ms(median(array_column($runs, $name))), null);
	}
	$ratio = median(array_map(fn (array $run) => $run['redislock, 5 nodes'] / $run['redislock, one node'], $runs));
	$bench->report->row('5 nodes against one, 1 ms of network', '≤ 1.3 ×', sprintf('%.2f ×', $ratio), $ratio <= 1.3);
};
