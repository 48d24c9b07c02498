<?php
/* Workers that hold the lock for 1 ms and come straight back. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$run = function (int $workers, float $seconds) use ($bench): array {
		$server = \RedisServer::start();
		$redis = $server->connect();
		$arena = new Arena();
		$crew = new Crew($workers, function (Line $boss) use ($server, $arena, $seconds): void {
			$lock = (new \RedisLock\Client($server->dsn()))->lock('job', 60.0);
			$start = $boss->ask('ready');
			sleep_until($start);
			$waits = [];
			while (now() < $start + $seconds) {
				$begin = hrtime(true);
				$fence = $lock->acquire(60.0);
				$waits[] = (hrtime(true) - $begin) / 1e9;
				$arena->enter($fence);
				usleep(1000);
				$arena->leave();
				$lock->release();
			}
			$boss->tell($waits);
		});
		$crew->hear();
		$start = now() + 0.1;
		$redis->must('CONFIG', 'RESETSTAT');
		$crew->tell($start);
		$waits = $crew->hear();
		$bench->count($arena);
		$all = array_merge(...$waits);
		return [
			'commands' => client_commands($redis) / count($all),
			'jain' => jain_index(array_map('count', $waits)),
			'longest' => max($all) / mean($all),
			'p50' => percentile($all, 50),
			'p99' => percentile($all, 99),
		];
	};
	$loops = $bench->repeat(fn () => $run(10, 2.0));
	$commands = median(array_column($loops, 'commands'));
	$bench->report->row('client commands per hand-over, in a loop', '≤ 4.2', sprintf('%.2f', $commands), $commands <= 4.2);
	$bench->report->row('wait of 10 workers in a loop, p50 / p99', '', ms(median(array_column($loops, 'p50'))) . ' / ' . ms(median(array_column($loops, 'p99'))), null);

	$loops = $bench->repeat(fn () => $run(50, 5.0));
	$jain = median(array_column($loops, 'jain'));
	$longest = median(array_column($loops, 'longest'));
	$bench->report->row('50 workers in a loop, Jain index', '≥ 0.99', sprintf('%.4f', $jain), $jain >= 0.99);
	$bench->report->row('50 workers in a loop, longest wait', '≤ 2 × the mean', sprintf('%.2f ×', $longest), $longest <= 2.0);
};
