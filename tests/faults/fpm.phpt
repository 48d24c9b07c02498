--TEST--
PHP-FPM: requests, fatal errors, and a worker that is killed because its request takes too long
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif_slow.inc';
require __DIR__ . '/fpm.inc';
if (fpm_binary() === null) {
	echo 'skip no php-fpm of this version';
}
?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/fpm.inc';

// What PHP itself leaves when it ends like this, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$server = RedisServer::start();
$redis = $server->connect();
$code = <<<'PHP'
	ini_set('display_errors', '0');
	$client = new RedisLock\Client($_GET['dsn'], prefix(), persistent: (bool) ($_GET['persistent'] ?? 1));
	$lock = $client->lock($_GET['name'], (float) ($_GET['ttl'] ?? 600.0));
	$redis = new RespConnection($_GET['dsn']);
	$fence = $lock->acquire((float) ($_GET['wait'] ?? 0.0));
	echo json_encode($fence);
	switch ($_GET['then'] ?? '') {
		case 'fatal':
			ini_set('memory_limit', '8M');
			str_repeat('x', 100_000_000);
		case 'loop':
			set_time_limit(1);
			for (;;);
		case 'sleep':
			$redis->must('SET', prefix() . 'sleeps', $fence);
			for (;;) {
				sleep(60);
			}
	}
	PHP;
$fpm = new Fpm($code);
$get = fn (string $name, mixed ...$more) => $GLOBALS['fpm']->get(['dsn' => $server->dsn(), 'name' => $name] + $more);
$ids = function () use ($redis) {
	preg_match_all('/^id=(\d+) .* cmd=eval/m', $redis->must('CLIENT', 'LIST'), $found);
	return $found[1];
};

// Requests of one process.
$fence = (int) $get('a');
check($fence > 0, 'a request gets its lock');
wait_until_free('a', $redis);
$first = $ids();
same(1, count($first), 'the connection outlives the request');
$next = (int) $get('a');
check($next > $fence, 'the next request gets the lock, which the first has given back');
wait_until_free('a', $redis);
same($first, $ids(), 'over the same connection');
check((int) $get('b', persistent: 0) > 0, 'a request that is not persistent');
wait_until_free('b', $redis);
wait_until(fn () => $ids() === $first, 'its connection is closed');
foreach (['fatal', 'loop'] as $then) {
	check((int) $get($then, then: $then, persistent: 1) > 0, "$then: a request that ends with a fatal error");
	wait_until_free($then, $redis);
	same($first, $ids(), "$then: the connection can be used again");
}

// A request that takes too long while it holds the lock: no code of it runs any more.
$fpm = new Fpm($code, ['request_terminate_timeout' => '1s']);
$killed = $fpm->send(['dsn' => $server->dsn(), 'name' => 'killed', 'ttl' => 6.0, 'then' => 'sleep']);
$stale = wait_until(fn () => $redis->must('GET', prefix() . 'sleeps'), 'the request holds the lock');
$lock = $server->client(prefix())->lock('killed', 600.0);
same(null, $lock->acquire(), 'it holds the lock');
same(null, $fpm->answer($killed), 'its process is killed');
same(null, $lock->acquire(), 'what it held stays locked');
$fence = $lock->acquire(60.0);
check($fence > (int) $stale, 'until its lease ends; the fence is larger', stale: $stale, fence: $fence);
check((int) $get('a') > $next, 'a new process serves the next request');
wait_until_free('a', $redis);

// A request that takes too long while it waits.
same(null, $get('killed', wait: 600.0), 'a waiting process is killed');
wait_until(fn () => $redis->info('clients')['blocked_clients'] === '0', 'nobody waits');
same([true, true], [$lock->isHeld(), $lock->renew()], 'the holder is undisturbed');
same(true, $lock->release(), 'it gives the lock back');
check((int) $get('killed', wait: 0.8) > $fence, 'and the next request gets it');
done();
?>
--EXPECT--
18 checks passed
