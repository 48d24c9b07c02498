<?php
/* A waiter that waits 10 s behind a holder that renews. All runs are made at once, each with a server of its own. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$lanes = array_map(fn () => \RedisServer::start(), range(1, $bench->runs));
	$crew = new Crew(2 * count($lanes), function (Line $boss, int $index) use ($lanes): void {
		$lock = (new \RedisLock\Client($lanes[intdiv($index, 2)]->dsn()))->lock('job', 1.5);
		$boss->ask('ready');
		if ($index % 2 === 0) {
			$lock->acquire();
			$boss->ask('taken');
			for ($end = now() + 11.0, $renewals = 0; now() < $end; $renewals++) {
				$lock->renew();
				usleep(400_000);
			}
			$boss->tell($renewals);
			return;
		}
		$used = fn () => getrusage()['ru_utime.tv_sec'] + getrusage()['ru_utime.tv_usec'] / 1e6 + getrusage()['ru_stime.tv_sec'] + getrusage()['ru_stime.tv_usec'] / 1e6;
		$before = $used();
		$fence = $lock->acquire(10.0);
		$boss->tell([$fence, $used() - $before]);
	});
	$crew->hear();
	$said = [];
	foreach ($crew->members as $index => $member) {
		if ($index % 2 === 0) {
			$member->ask('take');
		}
	}
	$observers = array_map(fn (\RedisServer $server) => $server->connect(), $lanes);
	array_map(fn (\RespConnection $redis) => $redis->must('CONFIG', 'RESETSTAT'), $observers);
	$crew->tell('go');
	$commands = $cpu = [];
	foreach ($observers as $lane => $redis) {
		[$fence, $cpu[]] = $crew->members[2 * $lane + 1]->hear();
		$fence === null || throw new \RuntimeException('the lock was acquired although it was renewed');
		$commands[] = client_commands($redis) - $crew->members[2 * $lane]->hear();
	}
	// A renewal that was sent after the wait had ended is counted on both sides.
	$bench->report->row('commands of a waiter that waits 10 s', '≤ 20', sprintf('%.0f', median($commands)), median($commands) <= 20);
	$bench->report->row('CPU time of that waiter', '', ms(median($cpu)), null);
};
