<?php
/* Two processes hand one lock to and fro: from the call of release() to the return of acquire() in the other one. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$handOvers = 500;
	$server = \RedisServer::start();
	$runs = $bench->repeat(function () use ($bench, $server, $handOvers) {
		$arena = new Arena(Arena::FREE + 1);
		$last = Arena::FREE;
		$arena->set($last, -1);
		$crew = new Crew(2, function (Line $boss, int $index) use ($server, $arena, $handOvers, $last): void {
			$lock = (new \RedisLock\Client($server->dsn()))->lock('job', 60.0);
			$boss->ask('ready');
			$latencies = [];
			for ($i = 0; $i < intdiv($handOvers, 2) + 5; $i++) {
				$fence = $lock->acquire(60.0);
				$acquired = hrtime(true);
				$arena->enter($fence);
				if ($arena->get($last) === 1 - $index) {
					$latencies[] = ($acquired - $arena->get(Arena::RELEASED_AT)) / 1e9;
				}
				$arena->set($last, $index);
				usleep(2000);
				$arena->leave();
				$arena->set(Arena::RELEASED_AT, hrtime(true));
				$lock->release();
			}
			$boss->tell($latencies);
		});
		$crew->hear();
		$latencies = array_merge(...$crew->ask('go'));
		$bench->count($arena);
		return [percentile($latencies, 50), percentile($latencies, 99)];
	});
	$p50 = median(array_column($runs, 0));
	$p99 = median(array_column($runs, 1));
	$bench->report->row('hand-over, one waiter, p50', '≤ 0.2 ms', ms($p50), $p50 <= 0.0002);
	$bench->report->row('hand-over, one waiter, p99', '≤ 2 ms', ms($p99), $p99 <= 0.002);
};
