<?php
/*
 * 30 workers that take the lock again and again, one of them killed every 100 ms, whatever it is at: waiting, woken,
 * inside, giving back. Another one takes its place.
 */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$workers = 30;
	$lease = 1.0;
	$server = \RedisServer::start();
	$arena = new Arena(Arena::FREE + 1 + $workers);
	$longestSlot = Arena::FREE;
	$since = fn (int $index): int => Arena::FREE + 1 + $index;
	$work = function (Line $boss, int $index) use ($server, $arena, $lease, $longestSlot, $since): void {
		$lock = (new \RedisLock\Client($server->dsn()))->lock('job', $lease);
		for (;;) {
			$begin = hrtime(true);
			$arena->set($since($index), $begin);
			$fence = $lock->acquire(60.0);
			$acquired = hrtime(true);
			$arena->enter($fence);
			$arena->set($since($index), 0);
			$arena->set($longestSlot, max($arena->get($longestSlot), $acquired - $begin));
			$arena->set(Arena::ACQUIRED_AT, $acquired);
			usleep(mt_rand(0, 3000));
			$arena->leave();
			$lock->release();
		}
	};
	$crew = new Crew($workers, $work);
	$kills = 0;
	$longest = $gap = 0.0;
	for ($next = now() + 0.5, $end = $next + $bench->soak; $next < $end; $next += 0.1) {
		sleep_until($next);
		$victim = mt_rand(0, $workers - 1);
		$crew->replace($victim);
		$kills++;
		// How long those who wait have waited so far, also the victim.
		for ($index = 0; $index < $workers; $index++) {
			$begun = $arena->get($since($index));
			$longest = $begun === 0 ? $longest : max($longest, (hrtime(true) - $begun) / 1e9);
		}
		$arena->set($since($victim), 0);
		$gap = max($gap, (hrtime(true) - $arena->get(Arena::ACQUIRED_AT)) / 1e9);
	}
	// Nobody is killed any more: it goes on.
	$count = $arena->count();
	sleep_until(now() + $lease + 1.5);
	$goesOn = $arena->count() > $count;
	unset($crew);
	$longest = max($longest, $arena->get($longestSlot) / 1e9);
	$bench->count($arena);
	$bench->report->row("soak, $bench->soak s, $kills killed: longest wait", sprintf('≤ %.1f s (lease + 1.5)', $lease + 1.5), sprintf('%.2f s', $longest), $longest <= $lease + 1.5);
	$bench->report->row("soak: longest time in which nobody got the lock", sprintf('≤ %.1f s', $lease + 1.5), sprintf('%.2f s, %s', $gap, $goesOn ? 'and it goes on' : 'STUCK'), $gap <= $lease + 1.5 && $goesOn);
};
