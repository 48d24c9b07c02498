<?php
/* What counting costs: the cycle of a free lock with the counters, by group as well, and without; all on one core. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$server = \RedisServer::start();
	$address = Address::unix($server);
	$runners = [
		'without counters' => ProgramRunner::php(['redislock.stats' => '0'], $address),
		'with counters' => ProgramRunner::php(['redislock.stats' => '1', 'redislock.stats_groups' => '1'], $address),
	];
	pin_together($server->pid, ...array_map(fn (Runner $runner) => $runner->pid(), array_values($runners)));
	$results = race($runners, 6 * $bench->runs + 1, 1000);
	$runners = null;
	foreach (array_keys($results[0]) as $name) {
		$bench->report->row("acquire + release, $name", '', us(median(array_column($results, $name))), null);
	}
	$bench->report->row('with counters against without', '', sprintf('%.2f ×', ratio($results, 'with counters', 'without counters')), null);
};
