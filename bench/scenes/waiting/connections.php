<?php
/* How many connections a waiter has open. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$runs = $bench->repeat(function (): array {
		$server = \RedisServer::start();
		$redis = $server->connect();
		$crew = new Crew(2, function (Line $boss, int $index) use ($server): void {
			$lock = (new \RedisLock\Client($server->dsn()))->lock('job', 60.0);
			$boss->ask('ready');
			$lock->acquire($index === 0 ? 0.0 : 4.0);
			$boss->ask('done');
		});
		$crew->hear();
		[$holder, $waiter] = $crew->members;
		$holder->ask('take');
		$connected = fn () => (int) $redis->info('clients')['connected_clients'];
		$others = $connected();
		$waiter->tell('wait');
		wait_for_blocked($redis, 1);
		$most = function (float $until) use ($connected, $others): int {
			for ($seen = []; now() < $until; usleep(5000)) {
				$seen[] = $connected() - $others;
			}
			return max($seen);
		};
		$begin = now();
		return [$most($begin + 0.85), $most($begin + 3.5)];
	}, min(3, $bench->runs));
	$early = max(array_column($runs, 0));
	$late = max(array_column($runs, 1));
	$bench->report->row('connections of a waiter, the first second / later', '1 / 2', "$early / $late", $early === 1 && $late === 2);
};
