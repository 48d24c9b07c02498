<?php
/*
 * The path of the connection on which a waiter is blocked goes dead and nobody is told: bytes are swallowed both ways,
 * from the moment of the wake-up on. All runs are made at once, each with a lock of its own.
 */
declare(strict_types=1);

namespace Bench;

require_once __DIR__ . '/../../../tests/include/fault_proxy.inc';

return function (Bench $bench): void {
	$lanes = max(10, $bench->runs);
	$server = \RedisServer::start();
	putenv("TEST_REDIS_SOCKET=$server->socket");
	$redis = $server->connect();
	$proxy = \FaultProxy::before($server);
	$proxy->onReply('BLPOP', 'swallow', times: 0);
	$arenas = array_map(fn () => new Arena(), range(1, $lanes));
	$crew = new Crew(2 * $lanes, function (Line $boss, int $index) use ($server, $proxy, $arenas, $lanes): void {
		$lane = $index % $lanes;
		$isHolder = $index < $lanes;
		$lock = (new \RedisLock\Client($isHolder ? $server->dsn() : $proxy->dsn()))->lock("job$lane", 60.0);
		$boss->ask('ready');
		$fence = $lock->acquire($isHolder ? 0.0 : 60.0);
		$acquired = now();
		$arenas[$lane]->enter($fence);
		if ($isHolder) {
			sleep_until($boss->ask('taken'));
			$acquired = now();
		}
		$arenas[$lane]->leave();
		$lock->release();
		$boss->tell($acquired);
	});
	$crew->hear();
	$holders = array_slice($crew->members, 0, $lanes);
	$waiters = array_slice($crew->members, $lanes);
	array_map(fn (Line $holder) => $holder->ask('take'), $holders);
	array_map(fn (Line $waiter) => $waiter->tell('wait'), $waiters);
	wait_for_blocked($redis, $lanes);
	// Spread over the time between two pokes.
	$from = now() + 1.1;
	foreach ($holders as $lane => $holder) {
		$holder->tell($from + $lane / $lanes);
	}
	$served = [];
	foreach ($holders as $lane => $holder) {
		$released = $holder->hear();
		$served[] = $waiters[$lane]->hear() - $released;
	}
	array_map($bench->count(...), $arenas);
	$bench->report->row('the path goes dead silently: served within', '≤ 1.5 s', sprintf('%.2f s (the longest %.2f s)', median($served), max($served)), max($served) <= 1.5);
};
