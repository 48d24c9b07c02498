<?php
/* Two of five nodes are gone, in every way in which they can be. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$arena = new Arena();
	$quorum = \Quorum::start(5, tcp: true, ready: false);
	// Two of them can be reached through somebody who can swallow everything.
	$proxy = new DelayProxy(array_slice($quorum->nodes, 3), 0);
	$proxied = array_replace($quorum->dsns(), [3 => $proxy->dsn(0), 4 => $proxy->dsn(1)]);
	$direct = (new Measurer(RedisLockQuorum::class, $quorum->dsns(), $arena))->initialize();
	$through = new Measurer(RedisLockQuorum::class, $proxied, $arena);

	$measure = function () use ($quorum, $proxy, $direct, $through, $arena): array {
		$direct->recover($quorum);
		$results = ['all up' => $direct->run(1000)];

		$quorum->stop(3, 4);
		$results['stopped (SIGSTOP)'] = $direct->run(1000);
		$quorum->cont(3, 4);
		$direct->recover($quorum);

		$quorum->kill(3, 4);
		$results['killed'] = $direct->run(1000);
		$fresh = new Measurer(RedisLockQuorum::class, $quorum->dsns(), $arena);
		$results['refusing from the first connection on'] = $fresh->run(1000);
		$fresh->end();
		$quorum->boot(3, 4);
		array_map($quorum->endSitOut(...), [3, 4]);
		$direct->recover($quorum);

		$through->recover($quorum);
		$results['all up, two through a proxy'] = $through->run(1000);
		$proxy->swallow(0);
		$proxy->swallow(1);
		$results['black-holed'] = $through->run(1000);
		$proxy->pass(0);
		$proxy->pass(1);
		$through->recover($quorum);
		return $results;
	};
	$runs = $bench->repeat($measure);
	$direct->end();
	$through->end();
	$bench->count($arena);

	$of = fn (string $state, string $what): float => median(array_column(array_column($runs, $state), $what));
	foreach (array_keys($runs[0]) as $state) {
		$failed = array_sum(array_column(array_column($runs, $state), 'failed'));
		$times = sprintf('%s / %s / %s', ms($of($state, 'acquire')), ms($of($state, 'renew')), ms($of($state, 'release')));
		$cycles = 1000 * count($runs);
		$bench->report->row(($state === "all up" ? "5 nodes, all up" : (str_starts_with($state, "all up") ? "5 nodes, $state" : "5 nodes, 2 of them $state")) . ": acquire / renew / release", 'all of them work', "$times; $failed of $cycles failed", $failed === 0);
		if (str_starts_with($state, 'all up')) {
			continue;
		}
		$base = $state === 'black-holed' ? 'all up, two through a proxy' : 'all up';
		$ratio = median(array_map(fn (array $run) => $run[$state]['acquire'] / $run[$base]['acquire'], $runs));
		$bench->report->row("5 nodes, 2 of them $state: acquire", '≤ 1.5 × all up', sprintf('%.2f ×', $ratio), $ratio <= 1.5);
		$worst = max(array_column(array_column($runs, $state), 'worst'));
		$bench->report->row("5 nodes, 2 of them $state: the slowest acquire", '', ms($worst), null);
	}
};
