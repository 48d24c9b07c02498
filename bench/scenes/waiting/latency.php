<?php
/*
 * Two processes hand one lock to and fro: from the call of release() to the return of acquire() in the other one.
 *
 * A hand-over wakes four processes one after the other. Where each of them sleeps on a processor of its own, the time
 * is mostly that of waking processors, which is as good or as bad as the machine: 5 µs or 50 µs each. So the row with
 * the bar has the server and both processes on one processor; the one beside it lets them go where the kernel puts them,
 * and the last one says what one round trip of a PING costs there, each after a pause as in a hand-over.
 */
declare(strict_types=1);

namespace Bench;

const HAND_OVERS = 500;
const PAUSE_US = 2000;

/** @return array{float, float} p50 and p99 of the hand-overs, in seconds */
function measure_hand_overs(Bench $bench, \RedisServer $server, ?string $cpu): array
{
	$arena = new Arena(Arena::FREE + 1);
	$last = Arena::FREE;
	$arena->set($last, -1);
	$crew = new Crew(2, function (Line $boss, int $index) use ($server, $arena, $last): void {
		$lock = (new \RedisLock\Client($server->dsn()))->lock('job', 60.0);
		$boss->ask('ready');
		$latencies = [];
		for ($i = 0; $i < intdiv(HAND_OVERS, 2) + 5; $i++) {
			$fence = $lock->acquire(60.0);
			$acquired = hrtime(true);
			$arena->enter($fence);
			if ($arena->get($last) === 1 - $index) {
				$latencies[] = ($acquired - $arena->get(Arena::RELEASED_AT)) / 1e9;
			}
			$arena->set($last, $index);
			usleep(PAUSE_US);
			$arena->leave();
			$arena->set(Arena::RELEASED_AT, hrtime(true));
			$lock->release();
		}
		$boss->tell($latencies);
	});
	$crew->hear();
	if ($cpu !== null) {
		foreach ($crew->members as $member) {
			pin($member->pid, $cpu);
		}
	}
	$latencies = array_merge(...$crew->ask('go'));
	$bench->count($arena);
	return [percentile($latencies, 50), percentile($latencies, 99)];
}

/** The round trip of a PING by a process that has slept, p50. */
function measure_ping(\RedisServer $server): float
{
	$redis = $server->connect();
	$times = [];
	for ($i = 0; $i < HAND_OVERS; $i++) {
		usleep(PAUSE_US);
		$begin = hrtime(true);
		$redis->must('PING');
		$times[] = (hrtime(true) - $begin) / 1e9;
	}
	return percentile($times, 50);
}

return function (Bench $bench): void {
	$server = \RedisServer::start();
	$all = allowed_cpus();
	pin($server->pid, (string) (int) $all);
	$runs = $bench->repeat(fn () => measure_hand_overs($bench, $server, (string) (int) $all));
	pin($server->pid, $all);
	$spread = $bench->repeat(fn () => measure_hand_overs($bench, $server, null));
	$ping = median($bench->repeat(fn () => measure_ping($server)));
	$p50 = median(array_column($runs, 0));
	$p99 = median(array_column($runs, 1));
	$bench->report->row('hand-over, one waiter, p50', '≤ 0.2 ms', ms($p50), $p50 <= 0.0002);
	$bench->report->row('hand-over, one waiter, p99', '≤ 2 ms', ms($p99), $p99 <= 0.002);
	$bench->report->row('the same, on all processors, p50', '', ms(median(array_column($spread, 0))), null);
	$bench->report->row('the same, on all processors, p99', '', ms(median(array_column($spread, 1))), null);
	$bench->report->row('one PING there, after a pause, p50', '', ms($ping), null);
};
