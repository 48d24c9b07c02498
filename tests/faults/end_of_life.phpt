--TEST--
However a process ends, its locks are given back where code still runs, and no destructor throws
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
pcntl
posix
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
$begin = <<<'PHP'
	$client = new RedisLock\Client($argument, prefix());
	$lock = $client->lock('global', 600.0);
	$kept = $client->lock('by hand', 600.0, false);
	final class Holder
	{
		public static ?RedisLock $static = null;
		public ?RedisLock $property = null;
		public ?Holder $self = null;
	}
	Holder::$static = $client->lock('static', 600.0);
	$holder = new Holder();
	$holder->property = $client->lock('property', 600.0);
	$cycle = new Holder();
	$cycle->self = $cycle;
	$cycle->property = $client->lock('cycle', 600.0);
	foreach ([$lock, $kept, Holder::$static, $holder->property, $cycle->property] as $each) {
		$each->acquire() > 0 || throw new Exception('not acquired');
	}
	unset($each, $cycle);
	ini_set('display_errors', '0');
	pcntl_async_signals(true);
	tell('held');
	hear();
	PHP;
// Code => status. Null: whatever PHP says after a fatal error.
$ends = [
	'normal end' => ['', 0],
	'exit()' => ['exit(7);', 7],
	'exit() in a function' => ['(function () use ($client) { $local = $client->lock("local", 600.0); $local->acquire(); exit(7); })();', 7],
	'uncaught exception' => ['throw new Exception("as planned");', 255],
	'uncaught exception in a function' => ['(function () use ($client) { $local = $client->lock("local", 600.0); $local->acquire(); throw new Exception("as planned"); })();', 255],
	'exit() in synchronized()' => ['$client->lock("local", 600.0)->synchronized(fn () => exit(7));', 7],
	'uncaught exception in synchronized()' => ['$client->lock("local", 600.0)->synchronized(fn () => throw new Exception("as planned"));', 255],
	'memory limit' => ['ini_set("memory_limit", "8M"); str_repeat("x", 100_000_000);', 255],
	'memory limit in synchronized()' => ['ini_set("memory_limit", "8M"); $client->lock("local", 600.0)->synchronized(fn () => str_repeat("x", 100_000_000));', 255],
	'max_execution_time' => ['set_time_limit(1); for (;;);', 255],
	'max_execution_time in synchronized()' => ['set_time_limit(1); $client->lock("local", 600.0)->synchronized(function () { for (;;); });', 255],
	'unknown function' => ['unknown();', 255],
	'exit() in a shutdown function' => ['register_shutdown_function(function () { exit(7); });', 7],
	'exception in a shutdown function' => ['register_shutdown_function(function () { throw new Exception("as planned"); });', 255],
	'exception in a destructor' => ['$last = new class { public function __destruct() { throw new Exception("as planned"); } };', 255],
	'a handler of SIGTERM that exits' => ['pcntl_signal(SIGTERM, fn () => exit(7)); posix_kill(posix_getpid(), SIGTERM);', 7],
	'a handler of SIGTERM that throws' => ['pcntl_signal(SIGTERM, fn () => throw new Exception("as planned")); posix_kill(posix_getpid(), SIGTERM);', 255],
];
$names = ['global', 'static', 'property', 'cycle', 'local'];
$left = fn () => array_values(array_filter([...$names, 'by hand'], fn (string $name) => $redis->must('EXISTS', lock_key($name)) === 1));
foreach ($ends as $how => [$code, $status]) {
	$worker = new Worker("$begin $code", $proxy->dsn());
	same('held', $worker->hear(), "$how: it holds its locks");
	$proxy->forget();
	$worker->tell('end');
	same(['output' => '', 'status' => $status], $worker->end(), "$how: that is how it ended");
	$proxy->waitQuiet();
	same(['by hand'], $left(), "$how: all locks with autoRelease are free, and no other");
	same([], array_diff($proxy->names(), ['acquire', 'release']), "$how: nothing else was sent");
	$server->client(prefix())->forceRelease('by hand');
}

// Nobody gets to run code: what is locked stays locked until its lease ends.
foreach (['TERM' => 15, 'KILL' => 9] as $signal => $number) {
	$worker = new Worker("$begin", $proxy->dsn());
	same('held', $worker->hear(), "SIG$signal: it holds its locks");
	$worker->signal($signal);
	same(['output' => '', 'status' => 128 + $number], $worker->end(), "SIG$signal: it ends at once");
	$proxy->waitClients(0);
	same(['global', 'static', 'property', 'cycle', 'by hand'], $left(), "SIG$signal: the locks stay");
	foreach ($left() as $name) {
		between(1, 600_000, $redis->must('PTTL', lock_key($name)), "SIG$signal: $name has a lease");
		$server->client(prefix())->forceRelease($name);
	}
}

// While an exception is on its way through the stack.
$client = $server->client(prefix());
$seen = null;
try {
	(function () use ($client) {
		$local = $client->lock('unwound', 600.0);
		$local->acquire();
		throw new DomainException('as planned');
	})();
} catch (DomainException $seen) {
}
same(['as planned', null], [$seen?->getMessage(), $seen?->getPrevious()], 'the exception comes through as it was');
wait_until_free('unwound', $redis);
check($client->lock('unwound')->acquire() > 0, 'and the lock was given back on its way');
done();
?>
--EXPECT--
86 checks passed
