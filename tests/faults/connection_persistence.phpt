--TEST--
Persistent connections outlive a request, others do not; locks never do
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/web.inc';

// What PHP itself leaves when it ends like this, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$server = RedisServer::start();
$redis = $server->connect();
$web = new WebServer(<<<'PHP'
	parse_str($_SERVER['QUERY_STRING'], $query);
	$client = new RedisLock\Client($query['dsn'], prefix(), persistent: (bool) $query['persistent']);
	$lock = $client->lock($query['name'], 600.0, (bool) ($query['auto'] ?? true));
	echo json_encode($lock->acquire() > 0);
	static $kept;
	$kept = $lock;
	if (isset($query['fatal'])) {
		ini_set('display_errors', '0');
		ini_set('memory_limit', '8M');
		str_repeat('x', 100_000_000);
	}
	PHP);
/* The connections of others, without this one. */
$ids = function () use ($redis) {
	preg_match_all('/^id=(\d+) .*?\bage=\d+/m', $redis->must('CLIENT', 'LIST'), $found);
	return array_values(array_diff($found[1], [(string) $redis->must('CLIENT', 'ID')]));
};
$get = fn (string $name, array $more) => $web->get(http_build_query(['dsn' => $server->dsn(), 'name' => $name] + $more));

same('true', $get('a', ['persistent' => 1]), 'persistent: the first request');
wait_until_free('a', $redis);
$first = $ids();
same(1, count($first), 'persistent: its connection stays');
same('true', $get('a', ['persistent' => 1]), 'persistent: the second request gets the lock');
wait_until_free('a', $redis);
same($first, $ids(), 'persistent: over the same connection');

same('true', $get('b', ['persistent' => 0]), 'not persistent: a request');
wait_until_free('b', $redis);
wait_until(fn () => $ids() === $first, 'its connection is closed');
same('true', $get('b', ['persistent' => 0]), 'not persistent: the next request');
wait_until_free('b', $redis);
wait_until(fn () => $ids() === $first, 'its connection is closed');

foreach ([1, 0] as $persistent) {
	check(str_starts_with($get("fatal $persistent", ['persistent' => $persistent, 'fatal' => 1]), 'true'), "persistent $persistent: a request that ends with a fatal error");
	wait_until_free("fatal $persistent", $redis);
	check($server->client(prefix())->lock("fatal $persistent")->acquire() > 0, "persistent $persistent: its lock is free at once");
	same('true', $get("after $persistent", ['persistent' => $persistent]), "persistent $persistent: the next request is served");
	wait_until_free("after $persistent", $redis);
}
wait_until(fn () => count($ids()) <= 2, 'no connection is left of those that are not persistent');

same('true', $get('by hand', ['persistent' => 1, 'auto' => 0]), 'without autoRelease');
same('false', $get('by hand', ['persistent' => 1, 'auto' => 0]), 'the lock outlives the request');
between(1, 600_000, $redis->must('PTTL', lock_key('by hand')), 'until its lease ends');
done();
?>
--EXPECT--
15 checks passed
