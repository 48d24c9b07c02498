<?php
/* One of five nodes hangs. Who waits for it, waits for a timeout: a second, here as there. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$arena = new Arena();
	$quorum = \Quorum::start(5, tcp: true, ready: false);
	$measurers = [];
	foreach ($bench->peers ? quorum_contenders() : ['redislock' => RedisLockQuorum::class] as $name => $class) {
		$measurers[$name] = $class === null ? null : new Measurer($class, $quorum->dsns(), $arena);
	}
	$ours = $measurers['redislock']->initialize();
	$runs = $bench->repeat(function () use ($quorum, $ours): array {
		$ours->recover($quorum);
		$up = $ours->run(1000);
		$quorum->stop(2);
		$hung = $ours->run(1000);
		$quorum->cont(2);
		return [$up, $hung];
	});
	$failed = array_sum(array_column(array_column($runs, 1), 'failed'));
	$ratio = median(array_map(fn (array $run) => $run[1]['acquire'] / $run[0]['acquire'], $runs));
	$times = sprintf('%.2f ×: %s, all up %s; the slowest one %s', $ratio, ms(median(array_column(array_column($runs, 1), 'acquire'))), ms(median(array_column(array_column($runs, 0), 'acquire'))), ms(max(array_column(array_column($runs, 1), 'worst'))));
	$bench->report->row('5 nodes, one hangs: acquire', '≤ 1.5 × all up', "$times; $failed failed", $ratio <= 1.5 && $failed === 0);
	foreach ($measurers as $name => $measurer) {
		if ($name === 'redislock') {
			continue;
		}
		if ($measurer === null) {
			$bench->report->row("the same with $name", '', 'not measured: it is not here', null);
			continue;
		}
		$up = $measurer->run(200, false);
		$quorum->stop(2);
		try {
			$hung = $measurer->run(3, false);
			$seen = sprintf('%s, all up %s', $hung['acquire'] === INF ? 'never acquires' : ms($hung['acquire']), ms($up['acquire']));
		} catch (\RuntimeException $problem) {
			$seen = 'ends with ' . preg_replace('/^process \d+: | at \S+$/', '', $problem->getMessage());
		}
		$quorum->cont(2);
		$bench->report->row("the same with $name", '', $seen, null);
	}
	array_map(fn (?Measurer $measurer) => $measurer?->end(), $measurers);
	$bench->count($arena);
};
