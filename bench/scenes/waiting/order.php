<?php
/* 200 waiters that arrive 2 ms apart, released one after another. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$waiters = 200;
	$taus = $bench->repeat(function () use ($bench, $waiters): float {
		$server = \RedisServer::start();
		$redis = $server->connect();
		$arena = new Arena();
		$crew = new Crew($waiters + 1, function (Line $boss, int $index) use ($server, $arena, $waiters): void {
			$lock = (new \RedisLock\Client($server->dsn()))->lock('job', 60.0);
			$isHolder = $index === $waiters;
			$start = $boss->ask('ready');
			sleep_until($start + ($isHolder ? 0 : 0.1 + 0.002 * $index));
			$arrived = hrtime(true);
			$fence = $lock->acquire(60.0);
			$arena->enter($fence);
			if ($isHolder) {
				$boss->ask('taken');
			}
			$arena->leave();
			$lock->release();
			$boss->tell([$arrived, $fence]);
		});
		$crew->hear();
		$crew->tell(now() + 0.1);
		$holder = array_pop($crew->members);
		$holder->hear();
		wait_for_blocked($redis, $waiters);
		$holder->tell('release');
		$seen = $crew->hear();
		$crew->members[] = $holder;
		$bench->count($arena);
		return kendall_tau(array_column($seen, 0), array_column($seen, 1));
	});
	$tau = median($taus);
	$bench->report->row('order of 200 waiters, Kendall tau', '≥ 0.95', sprintf('%.3f', $tau), $tau >= 0.95);
};
