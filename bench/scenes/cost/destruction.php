<?php
/* A lock that is given back by its destructor, whose release nobody waits for, against release(). */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$server = \RedisServer::start();
	$proxy = new DelayProxy([$server], 1000);
	$ways = [
		'' => [Address::unix($server), 1000, null],
		', 1 ms of network' => [Address::path($proxy->socket(0)), 200, 0.6],
	];
	foreach ($ways as $way => [$address, $cycles, $bar]) {
		$runners = [
			'acquire + release()' => new CycleRunner(RedisLockCycle::class, $address),
			'acquire + destructor' => new CycleRunner(DestructorCycle::class, $address),
		];
		if ($bar === null) {
			pin_together($server->pid, ...array_map(fn (Runner $runner) => $runner->pid(), array_values($runners)));
		}
		$results = race($runners, 4 * $bench->runs + 1, $cycles);
		$runners = null;
		foreach (array_keys($results[0]) as $name) {
			$bench->report->row("$name$way", '', us(median(array_column($results, $name))), null);
		}
		$ratio = ratio($results, 'acquire + destructor', 'acquire + release()');
		$bench->report->row("destructor against release()$way", $bar === null ? '< 1 ×' : "≤ $bar ×", sprintf('%.2f ×', $ratio), $ratio <= ($bar ?? 0.999));
	}
};
