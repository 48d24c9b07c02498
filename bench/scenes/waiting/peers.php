<?php
/* The same on the same Redis with other libraries: the latency of one waiter, and a chain of 10. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	if (!$bench->peers) {
		return;
	}
	$server = \RedisServer::start();
	// The holder holds for a time that has nothing to do with the pauses between two tries of those who poll.
	$latency = function (string $class, int $handOvers) use ($bench, $server): array {
		$arena = new Arena(Arena::FREE + 1);
		$last = Arena::FREE;
		$arena->set($last, -1);
		$crew = new Crew(2, function (Line $boss, int $index) use ($class, $server, $arena, $handOvers, $last): void {
			$contender = new $class($server->socket);
			$boss->ask('ready');
			$latencies = [];
			for ($i = 0; $i <= intdiv($handOvers, 2); $i++) {
				if ($i > 0) {
					// One that polls would else be back before the other one has looked.
					wait_until(fn () => $arena->get($last) !== $index, 'the other one had its turn', 60.0);
				}
				$contender->run(function (int $fence) use ($arena, $index, $last, &$latencies): void {
					$acquired = hrtime(true);
					$arena->enter($fence);
					if ($arena->get($last) === 1 - $index) {
						$latencies[] = ($acquired - $arena->get(Arena::RELEASED_AT)) / 1e9;
					}
					$arena->set($last, $index);
					usleep(mt_rand(20_000, 270_000));
					$arena->leave();
					$arena->set(Arena::RELEASED_AT, hrtime(true));
				});
			}
			$boss->tell($latencies);
		});
		$crew->hear();
		$latencies = array_merge(...$crew->ask('go'));
		$bench->count($arena);
		return $latencies;
	};
	$ours = null;
	foreach (contenders() as $name => $class) {
		if ($class === null) {
			$bench->report->row("against $name", '≥ 10 ×, ≥ 20 ×', 'not measured: it is not here', null);
			continue;
		}
		$latencies = $latency($class, 12 * $bench->runs);
		$rate = median(Crowd::rates($bench, $class, $server->socket, 10, 3 * $bench->runs, 300_000));
		$p50 = percentile($latencies, 50);
		$bench->report->row("$name: hand-overs a second with 10 waiters; latency p50 / p99", '', sprintf('%s; %s / %s', number_format($rate), ms($p50), ms(percentile($latencies, 99))), null);
		if ($ours === null) {
			$ours = [$rate, $p50];
			continue;
		}
		[$faster, $sooner] = [$ours[0] / $rate, $p50 / $ours[1]];
		$bench->report->row("against $name: hand-overs a second", '≥ 10 ×', sprintf('%.0f ×', $faster), $faster >= 10);
		$bench->report->row("against $name: latency p50", '≥ 20 × lower', sprintf('%.0f ×', $sooner), $sooner >= 20);
	}
};
