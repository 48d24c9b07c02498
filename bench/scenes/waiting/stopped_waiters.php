<?php
/* 20 waiters that are stopped, ahead of one that is not. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$served = $bench->repeat(function () use ($bench): float {
		$server = \RedisServer::start();
		$redis = $server->connect();
		$arena = new Arena();
		$crew = new Crew(22, function (Line $boss, int $index) use ($server, $arena): void {
			$lock = (new \RedisLock\Client($server->dsn()))->lock('job', 60.0);
			$boss->ask('ready');
			$fence = $lock->acquire($index === 0 ? 0.0 : 60.0);
			$acquired = now();
			$arena->enter($fence);
			if ($index === 0) {
				$boss->ask('taken');
				$acquired = now();
			}
			$arena->leave();
			$lock->release();
			$boss->tell($acquired);
		});
		$crew->hear();
		$holder = $crew->members[0];
		$holder->ask('take');
		foreach (array_slice($crew->members, 1) as $waiting => $member) {
			$member->tell('wait');
			wait_for_blocked($redis, $waiting + 1);
		}
		foreach (array_slice($crew->members, 1, 20) as $member) {
			posix_kill($member->pid, SIGSTOP);
		}
		usleep(mt_rand(0, 1_000_000));   // the live one may be at any point between two pokes
		$released = $holder->ask('release');
		$acquired = $crew->members[21]->hear();
		$bench->count($arena);
		return $acquired - $released;
	});
	$bench->report->row('20 stopped waiters ahead of one: served within', '≤ 2 s', sprintf('%.2f s (the longest %.2f s)', median($served), max($served)), median($served) <= 2.0);
};
