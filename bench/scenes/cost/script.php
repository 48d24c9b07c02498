<?php
/* What the scripts cost in the server: microseconds per call, from INFO commandstats. */
declare(strict_types=1);

namespace Bench;

return function (Bench $bench): void {
	$server = \RedisServer::start();
	pin_together($server->pid);
	$redis = $server->connect();
	// The scripts as the extension sends them, read from the server itself.
	$scripts = new ScriptCost($redis, $server);
	$setAndCount = "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then return redis.call('INCR', KEYS[2]) end return 0";
	$compareAndDelete = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end";
	$lock = 'script:job';
	$token = str_repeat('a', 32);
	$acquire = $scripts->sent('acquire');
	$release = $scripts->sent('release');
	$results = $scripts->race([
		'SET NX PX + INCR in Lua' => [['EVAL', $setAndCount, '2', $lock, "$lock:count", $token, '30000'], null, ['DEL', $lock]],
		'acquire, with fence' => [$acquire, null, ['DEL', $acquire[3]]],
		'compare-and-delete in Lua' => [['EVAL', $compareAndDelete, '1', $lock, $token], ['SET', $lock, $token], null],
		'release, with the look for waiters' => [$release, ['SET', $release[3], $release[7]], null],
	], 3 * $bench->runs, 2000);
	foreach (array_keys($results[0]) as $name) {
		$bench->report->row("$name: in Redis", '', us(median(array_column($results, $name))), null);
	}
	$ratio = ratio($results, 'acquire, with fence', 'SET NX PX + INCR in Lua');
	$bench->report->row('acquire against SET NX PX + INCR, in Redis', '≤ 2 ×', sprintf('%.2f ×', $ratio), round($ratio, 2) <= 2.0);
	$ratio = ratio($results, 'release, with the look for waiters', 'compare-and-delete in Lua');
	$bench->report->row('release against compare-and-delete, in Redis', '', sprintf('%.2f ×', $ratio), null);
};
