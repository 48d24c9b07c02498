--TEST--
Locks are given back however a script ends
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

// PHP itself does not free what is in a cycle when it ends: LeakSanitizer would report that, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$take = '$lock = client()->lock("job", 60.0); $fence = $lock->acquire(); $fence > 0 || print("not acquired");';
$ends = [
	'the end of the script' => ['', 0],
	'exit()' => ['exit(3);', 3],
	'exit in a function' => ['(function () { exit(4); })();', 4],
	'an uncaught exception' => ['throw new Exception("x");', 255],
	'an uncaught error' => ['undefined_function();', 255],
	'a fatal error' => ['trigger_error("x", E_USER_ERROR);', 255],
	'the memory limit' => ['ini_set("memory_limit", "16M"); $text = str_repeat("x", 100000000);', 255],
	'the time limit' => ['set_time_limit(1); while (true) { }', 255],
	'exit in a shutdown function' => ['register_shutdown_function(function () { exit(5); });', 5],
	'exit in a destructor' => ['$other = new class { function __destruct() { exit(6); } };', 6],
	'kept in a static' => ['final class Keep { public static array $all = []; } Keep::$all[] = $lock;', 0],
	'kept in a cycle' => ['$a = new stdClass; $a->a = $a; $a->lock = $lock; unset($lock);', 0],
	'not collected' => ['gc_disable(); $a = new stdClass; $a->a = $a; $a->lock = $lock; unset($a, $lock);', 0],
];
foreach ($ends as $what => [$code, $status]) {
	$ended = run_php("$take $code");
	same($status, $ended['status'], "$what: exit status");
	check(!str_contains($ended['output'], 'not acquired') && !str_contains($ended['output'], 'RedisLock\\'), "$what: it had the lock, and the extension had nothing to say", output: $ended['output']);
	// The release was written and not waited for: the server gets it before or just after the process is gone.
	$freed = true;
	try {
		wait_until_free('job', seconds: 5.0);
	} catch (RuntimeException) {
		$freed = false;
		client()->forceRelease('job');
	}
	check($freed && redis()->must('GET', fence_key('job')) > 0, "$what: it was given back");
}
// With the lease far away and the process gone, only the release can have freed it; without autoRelease nobody does.
foreach ($ends as $what => [$code, $status]) {
	$ended = run_php(str_replace('60.0)', '60.0, false)', $take) . $code);
	same($status, $ended['status'], "$what, autoRelease off: exit status");
	same(true, client()->inspect('job')['held'], "$what, autoRelease off: it stays");
	same(true, client()->forceRelease('job'), "$what, autoRelease off: until somebody removes it");
}
// A process that is killed cannot give anything back: that is what the lease is for.
$ended = run_php('$lock = client()->lock("job", 0.5); $lock->acquire(); exec("kill -KILL " . getmypid());');
same(128 + 9, $ended['status'], 'killed');
wait_until_free('job');
check(client()->lock('job')->acquire() > 0, 'the lease ended, and the lock can be taken');
done();
?>
--EXPECT--
80 checks passed
