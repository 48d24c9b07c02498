--TEST--
(f) The process ends with an unanswered acquire
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

// What PHP itself leaves when it ends like this, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$ends = [
	'its normal end' => '',
	'exit()' => 'exit(0);',
	'an uncaught exception' => 'throw new Exception("as planned");',
	'a fatal error' => 'ini_set("memory_limit", "8M"); $x = str_repeat("x", 100_000_000);',
];
foreach ($ends as $how => $code) {
	// Both sends and everything behind them are on their way when the process is gone, and then they arrive.
	$proxy->forget();
	$proxy->onCommand('acquire', 'hold', times: 2);
	$worker = new Worker(<<<'PHP'
		[$dsn, $name, $code] = $argument;
		$lock = (new RedisLock\Client($dsn, prefix(), timeout: 0.5))->lock($name, 3600.0);
		try {
			$lock->acquire();
			tell('acquired');
		} catch (RedisLock\UncertainException) {
			tell('unknown');
		}
		eval($code);
		PHP, [$proxy->dsn(), $how, $code]);
	same('unknown', $worker->hear(), "$how: both sends stay without an answer");
	$worker->end();
	// Only what was held when the process was there: the rest has come through.
	same(2, $proxy->release(), "$how: two are late");
	$proxy->waitAnswered('acquire', 2);
	$proxy->waitQuiet();
	same(null, $redis->must('GET', lock_key($how)), "$how: nothing stays locked");
	check($server->client(prefix())->lock($how)->acquire() > 0, "$how: it can be had at once");
}

// In the middle of the call. A handler that ends the process: the release is written behind.
$code = <<<'PHP'
	[$dsn, $name] = $argument;
	pcntl_async_signals(true);
	pcntl_signal(SIGTERM, function () { exit(0); });
	$lock = (new RedisLock\Client($dsn, prefix(), timeout: 60.0))->lock($name, 30.0);
	tell('begins');
	$lock->acquire();
	tell('acquired');
	PHP;
foreach (['TERM' => 0, 'KILL' => 1] as $signal => $left) {
	$proxy->forget();
	$proxy->onCommand('acquire', 'hold');
	$worker = new Worker($code, [$proxy->dsn(), $signal]);
	$worker->hear();
	$proxy->waitHeld(1);
	$worker->signal($signal);
	same(['output' => '', 'status' => $left ? 128 + 9 : 0], $worker->end(), "$signal: the process ends in the call");
	$proxy->release();
	$proxy->waitAnswered('acquire', 1);
	$proxy->waitQuiet();
	same($left, $redis->must('EXISTS', lock_key($signal)), "$signal: what no client can prevent …");
	between($left ? 1 : -2, 30_000, $redis->must('PTTL', lock_key($signal)), "$signal: … its lease bounds");
}
done();
?>
--EXPECT--
22 checks passed
