<?php
/*
 * 10 waiters that arrive 100 ms apart behind a holder of 4 s, or behind one that is killed with a lease of 3 s; each
 * then holds for 0.7 s. All runs are made at once, each with a lock of its own.
 */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$server = \RedisServer::start();
	$lanes = [];
	for ($run = 0; $run < $bench->runs; $run++) {
		foreach (['released', 'killed'] as $end) {
			$lanes[] = [$end, new Arena()];
		}
	}
	// Number 0 of a lane is its holder.
	$crew = new Crew(11 * count($lanes), function (Line $boss, int $index) use ($server, $lanes): void {
		$lane = intdiv($index, 11);
		[$end, $arena] = $lanes[$lane];
		$isHolder = $index % 11 === 0;
		$lock = (new \RedisLock\Client($server->dsn()))->lock("job$lane", $isHolder && $end === 'killed' ? 3.0 : 60.0);
		$start = $boss->ask('ready') + 0.007 * $lane;
		if ($isHolder) {
			sleep_until($start);
			$fence = $lock->acquire();
			$arena->enter($fence);
			$leaseEnd = now() + 3.0;
			if ($end === 'killed') {
				$boss->tell($leaseEnd);
				sleep_until($start + 1.5);
				posix_kill(posix_getpid(), SIGKILL);
			}
			sleep_until($start + 4.0);
			$arena->leave();
			$lock->release();
			$boss->tell(0.0);
			return;
		}
		sleep_until($start + 0.1 + 0.1 * ($index % 11));
		$arrived = now();
		$fence = $lock->acquire(60.0);
		$acquired = now();
		$arena->enter($fence);
		usleep(700_000);
		$arena->leave();
		$lock->release();
		$boss->tell([$arrived, $acquired, $fence]);
	});
	$crew->hear();
	$crew->tell(now() + 0.2);
	$said = array_chunk($crew->hear(), 11);
	$taus = $late = [];
	foreach ($lanes as $lane => [$end, $arena]) {
		$leaseEnd = array_shift($said[$lane]);
		$taus[$end][] = kendall_tau(array_column($said[$lane], 0), array_column($said[$lane], 2));
		if ($end === 'killed') {
			$late[] = min(array_column($said[$lane], 1)) - $leaseEnd;
		}
		$bench->count($arena);
	}
	$what = ['released' => 'order, 10 waiters behind a holder of 4 s, tau', 'killed' => 'order, the first holder killed, tau'];
	foreach ($what as $end => $text) {
		$tau = min($taus[$end]);
		$bench->report->row($text, '1.0', sprintf('%.2f', $tau) . ' (the worst)', $tau === 1.0);
	}
	$bench->report->row('the first one served after the end of the lease', '≤ 0.3 s', ms(max($late)) . ' (the longest)', max($late) <= 0.3 && min($late) > -0.01);
};
