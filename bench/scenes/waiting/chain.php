<?php
/* Many wait; the holder gives the lock back, and each that gets it gives it back at once. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	/*
	 * @return array{float, float, float} hand-overs a second; commands per hand-over; the cost of a hand-over while at
	 * least 3/4 are waiting, in that of one while at most 1/4 are: in one chain, so that the memory that so many
	 * processes need, which the caches of a processor do not hold, is the same for both
	 */
	$chain = function (int $waiters, int $rounds) use ($bench): array {
		$server = \RedisServer::start();
		$redis = $server->connect();
		$arena = new Arena(Arena::FREE + $waiters);
		$crew = new Crew($waiters + 1, function (Line $boss, int $index) use ($server, $arena, $waiters): void {
			$lock = (new \RedisLock\Client($server->dsn()))->lock('job', 60.0);
			$boss->tell('ready');
			if ($index === $waiters) {
				for (;;) {
					$boss->hear();
					$fence = $lock->acquire();
					$arena->enter($fence);
					$boss->ask('taken');
					$arena->leave();
					$released = hrtime(true);
					$lock->release();
					$boss->tell($released);
				}
			}
			for (;;) {
				$boss->hear();
				$fence = $lock->acquire(60.0);
				$acquired = hrtime(true);
				$arena->enter($fence);
				$arena->set(Arena::FREE + $arena->count() % $waiters, $acquired);
				$arena->leave();
				$lock->release();
			}
		});
		$crew->hear();
		$holder = array_pop($crew->members);
		$run = function () use ($crew, $holder, $redis, $arena, $waiters): array {
			$holder->ask('take');
			$crew->tell('wait');
			wait_for_blocked($redis, $waiters);
			usleep(20_000);
			$redis->must('CONFIG', 'RESETSTAT');
			$served = $arena->count() + $waiters;
			$released = $holder->ask('release');
			wait_until(fn () => $arena->count() === $served, 'all were served', 60.0);
			usleep(20_000);
			$at = fn (int $number): int => $arena->get(Arena::FREE + ($served - $waiters + $number) % $waiters);
			$quarter = intdiv($waiters, 4);
			return [
				$waiters / (($at($waiters) - $released) / 1e9),
				client_commands($redis) / $waiters,
				($at($quarter + 1) - $at(1)) / ($at($waiters) - $at($waiters - $quarter)),
			];
		};
		$results = $bench->repeat($run, $rounds * max(1, intdiv($bench->runs, 2)));
		$crew->members[] = $holder;
		$bench->count($arena);
		return array_map(fn (int $column) => median(array_column($results, $column)), [0, 1, 2]);
	};
	$rates = $commands = $growths = [];
	foreach ([10 => 20, 50 => 10, 200 => 5] as $waiters => $rounds) {
		[$rates[$waiters], $commands[$waiters], $growths[$waiters]] = $chain($waiters, $rounds);
		$bench->report->row("hand-overs a second, one after another, $waiters waiting", '≥ 3,500', number_format($rates[$waiters]), $rates[$waiters] >= 3500);
	}
	$growth = $growths[200];
	$bench->report->row('cost per hand-over, 150 to 200 waiting against 0 to 50', 'does not grow (≤ 1.2 ×)', sprintf('%.2f ×', $growth), $growth <= 1.2);
	$most = max($commands);
	$bench->report->row('client commands per hand-over, queued once', '≤ 2.2', sprintf('%.2f', $most), $most <= 2.2);
};
