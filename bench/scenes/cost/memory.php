<?php
/* What many locks cost: memory of the server per name, and the time of a cycle. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$server = \RedisServer::start();
	$redis = $server->connect();
	$memory = fn (): int => (int) $redis->info('memory')['used_memory'];
	$crew = new Crew(1, function (Line $boss) use ($server): void {
		while (true) {
			[$what, $names, $cycles, $ttl, $retention] = $boss->hear();
			ini_set('redislock.fence_retention', (string) $retention);
			$client = new \RedisLock\Client($server->dsn());
			// Every name once, or some of them at random.
			$order = $cycles === $names ? range(0, $names - 1) : array_map(fn () => mt_rand(0, $names - 1), range(1, $cycles));
			$begin = hrtime(true);
			foreach ($order as $i) {
				$lock = $client->lock("job-$i", $ttl);
				$lock->acquire();
				if ($what === 'hold') {
					$lock->detach();
				} else {
					$lock->release();
				}
			}
			$boss->tell((hrtime(true) - $begin) / 1e9 / $cycles);
		}
	});
	pin_together($server->pid, $crew->members[0]->pid);
	$ask = fn (string $what, int $names, int $cycles, float $ttl = 600.0, int $retention = 604800) => $crew->ask([$what, $names, $cycles, $ttl, $retention])[0];
	$ask('cycle', 1, 2);
	$times = [];
	// A single run is only to see that everything works.
	$most = $bench->runs > 1 ? 1_000_000 : 10_000;
	foreach ([1, 1_000, $most] as $names) {
		$redis->must('FLUSHALL');
		$before = $memory();
		$ask('cycle', $names, $names);
		$used = ($memory() - $before) / $names;
		$times[$names] = median($bench->repeat(fn () => $ask('cycle', $names, 2000)));
		$what = $names === 1 ? 'one name' : number_format($names) . ' names';
		if ($names > 1) {
			$bench->report->row("$what that nobody holds: bytes of Redis each", $names === $most ? '≤ 150' : '', number_format($used), $names === $most ? $used <= 150 : null);
		}
		$bench->report->row("acquire + release, $what", '', us($times[$names]), null);
	}
	$bench->plots['names'] = ['title' => 'acquire + release, by the number of names (µs)', 'bars' => array_map(fn (float $seconds) => $seconds * 1e6, $times)];
	$redis->must('FLUSHALL');
	$before = $memory();
	$ask('hold', 100_000, 100_000);
	$bench->report->row('100,000 locks that are held: bytes of Redis each', '', number_format(($memory() - $before) / 100_000), null);
	$redis->must('FLUSHALL');
	$ask('cycle', 1000, 1000, 0.1, 1);
	// The retention of this one is a second.
	wait_until(fn () => $redis->must('DBSIZE') === 0, 'the fences are forgotten', 60.0);
	$bench->report->row('keys left of 1,000 names after the retention', '0', '0', true);
};
