--TEST--
(g) The automatic release after SCRIPT FLUSH
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
require __DIR__ . '/../include/fault_proxy.inc';

// What PHP itself leaves when it ends like this, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
foreach (['destructor' => 'unset($lock);', 'end of the process' => '', 'fatal error' => 'ini_set("memory_limit", "8M"); str_repeat("x", 100_000_000);'] as $how => $code) {
	$worker = new Worker(<<<'PHP'
		[$dsn, $name, $code] = $argument;
		$lock = (new RedisLock\Client($dsn, prefix()))->lock($name, 3600.0);
		tell($lock->acquire() > 0);
		hear();
		eval($code);
		PHP, [$proxy->dsn(), $how, $code]);
	same(true, $worker->hear(), "$how: acquired");
	same(1, $redis->must('EXISTS', lock_key($how)), "$how: it is there");
	$redis->must('SCRIPT', 'FLUSH');
	$proxy->forget();
	$worker->tell('end');
	$worker->end();
	$proxy->waitAnswered('release', 1);
	same(['release'], $proxy->names(), "$how: one command, and no answer was waited for");
	same('EVAL', $proxy->log()[0]['words'][0], "$how: the script as a text, so nothing could be missing");
	same(0, $redis->must('EXISTS', lock_key($how)), "$how: given back");
}
done();
?>
--EXPECT--
15 checks passed
