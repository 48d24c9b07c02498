<?php
/* The end of a wait in vain, while the clock of the server is set by an hour. */
declare(strict_types=1);

namespace Bench;

require_once __DIR__ . '/../../lib/server_clock.php';

return function (Bench $bench): void {
	$waits = [0.3, 0.9, 1.5, 2.2, 3.1];
	/* @return list<float> how late each wait ended */
	$run = function (int $seconds) use ($waits): array {
		$clock = new ServerClock();
		$server = $clock->startServer();
		$redis = $server->connect();
		$crew = new Crew(1 + count($waits), function (Line $boss, int $index) use ($server, $waits): void {
			$lock = (new \RedisLock\Client($server->dsn()))->lock('job', 86400.0);
			$boss->ask('ready');
			if ($index === 0) {
				$lock->acquire();
				$boss->ask('taken');
				return;
			}
			$begin = now();
			$fence = $lock->acquire($waits[$index - 1]);
			$boss->tell([$fence, now() - $begin - $waits[$index - 1]]);
		});
		$crew->hear();
		$holder = array_shift($crew->members);
		$holder->ask('take');
		$crew->tell('wait');
		usleep(200_000);
		$clock->set($seconds);
		$late = [];
		foreach ($crew->hear() as $number => [$fence, $late[]]) {
			$fence === null || throw new \RuntimeException("clock set by $seconds s, wait of $waits[$number] s: the lock was acquired");
		}
		$crew->members[] = $holder;
		abs((int) $redis->must('TIME')[0] - time() - $seconds) <= 2 || throw new \RuntimeException('the clock was not set');
		return $late;
	};
	$off = array_map(abs(...), [...$run(0), ...$run(3600), ...$run(-3600)]);
	$bench->report->row("waits of 0.3 to 3.1 s end, server's clock set by ± 1 h", '± 0.05 s', ms(max($off)) . ' off (the most)', max($off) <= 0.05);
};
