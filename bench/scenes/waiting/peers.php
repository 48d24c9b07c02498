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
	$chain = function (string $class, int $rounds) use ($bench, $server): array {
		$waiters = 10;
		$arena = new Arena();
		$crew = new Crew($waiters + 1, function (Line $boss, int $index) use ($class, $server, $arena, $waiters): void {
			$contender = new $class($server->socket);
			$boss->tell('ready');
			for (;;) {
				$boss->hear();
				$contender->run(function (int $fence) use ($boss, $arena, $index, $waiters): void {
					$acquired = hrtime(true);
					$arena->enter($fence);
					if ($index === $waiters) {
						$boss->ask('taken');
						$arena->set(Arena::RELEASED_AT, hrtime(true));
					}
					$arena->set(Arena::ACQUIRED_AT, $acquired);
					$arena->leave();
				});
			}
		});
		$crew->hear();
		$holder = array_pop($crew->members);
		$rates = [];
		for ($round = 0; $round < $rounds; $round++) {
			$holder->ask('take');
			$served = $arena->count() + $waiters;
			$crew->tell('wait');
			usleep(mt_rand(300_000, 600_000));   // all are waiting, and at any point between two tries
			$holder->tell('release');
			wait_until(fn () => $arena->count() === $served, 'all were served', 60.0);
			$rates[] = $waiters / (($arena->get(Arena::ACQUIRED_AT) - $arena->get(Arena::RELEASED_AT)) / 1e9);
		}
		$crew->members[] = $holder;
		$bench->count($arena);
		return $rates;
	};
	$ours = null;
	foreach (contenders() as $name => $class) {
		if ($class === null) {
			$bench->report->row("against $name", '≥ 10 ×, ≥ 20 ×', 'not measured: it is not here', null);
			continue;
		}
		$latencies = $latency($class, 12 * $bench->runs);
		$rate = median($chain($class, 3 * $bench->runs));
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
