--TEST--
Quorum: the end of a process gives back what it holds, on every node
--EXTENSIONS--
redislock
pcntl
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

// PHP's own memory is not freed when a script ends in the middle; only leaks of a normal end count.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$quorum = Quorum::start(5);
$dsns = var_export($quorum->dsns(), true);
$begin = "\$client = new RedisLock\\Client($dsns, prefix()); \$client->inspect('job'); \$locks = []; for (\$i = 0; \$i < 20; \$i++) { \$locks[\$i] = \$client->lock(\"job \$i\", 50.0); \$locks[\$i]->acquire() > 0 || exit(99); } ";
$all_free = function (string $what) use ($quorum): void {
	for ($i = 0; $i < 20; $i++) {
		$quorum->waitHeld(0, "job $i");
	}
	check(true, "$what: all of them are free on every node");
};
// The sanitizers replace PHP's memory manager, and with it the memory limit.
$redeclared = 'eval("function twice() {} function twice() {}");';
foreach ([
	'the end of the script' => ['', 0],
	'exit()' => ['exit(3);', 3],
	'an exception' => ['ini_set("display_errors", "0"); throw new Exception("as planned");', 255],
	'a fatal error' => ['ini_set("display_errors", "0"); ' . (getenv('TEST_ASAN') ? $redeclared : 'ini_set("memory_limit", "8M"); str_repeat("x", 100_000_000);'), 255],
	'max_execution_time' => ['ini_set("display_errors", "0"); set_time_limit(1); while (true);', 255],
	'unset()' => ['$locks = []; usleep(300_000); posix_kill(getmypid(), SIGKILL);', 128 + 9],
] as $what => [$end, $status]) {
	same($status, run_php($begin . $end)['status'], "$what: exit status");
	$all_free($what);
}

// Without autoRelease, and detached: they stay.
same(0, run_php("\$client = new RedisLock\\Client($dsns, prefix()); \$client->inspect('job'); \$client->lock('kept', 50.0, false)->acquire(); \$lock = \$client->lock('detached', 50.0); \$lock->acquire(); \$lock->detach();")['status'], 'without autoRelease');
usleep(100_000);
between(3, 5, $quorum->held('kept'), 'it stays');
between(3, 5, $quorum->held('detached'), 'and what was detached, too');

// Killed: the lease ends it.
same(128 + 9, run_php("\$lock = (new RedisLock\\Client($dsns, prefix()))->lock('killed', 0.5); \$lock->acquire(); posix_kill(getmypid(), SIGKILL);")['status'], 'killed');
check($quorum->client()->lock('killed', 10.0)->acquire(5.0) > 0, 'killed: the end of the lease frees it');

// A node hangs, and one is gone: the end of the process is delayed by neither, and nothing stays on the others.
$quorum->kill(0);
$quorum->stop(1);
$took = seconds(fn () => same(0, run_php("\$client = new RedisLock\\Client($dsns, prefix()); \$locks = []; for (\$i = 0; \$i < 20; \$i++) { \$locks[\$i] = \$client->lock(\"job \$i\", 50.0); \$locks[\$i]->acquire() > 0 || exit(99); }")['status'], 'one hangs, one is gone'));
between(0.0, 15.0, $took, 'one hangs, one is gone: the process ends soon');
for ($i = 0; $i < 20; $i++) {
	$quorum->waitHeld(0, "job $i", [2, 3, 4]);
}
$quorum->cont(1);
for ($i = 0; $i < 20; $i++) {
	$quorum->waitHeld(0, "job $i", [1]);
}
check(true, 'one hangs: nothing stays on it either');

// More locks than times that the text of the release fits into what a node that hangs can take.
$quorum->boot(0);
$quorum->endSitOut(0);
$code = "\$client = new RedisLock\\Client($dsns, prefix()); \$locks = []; for (\$i = 0; \$i < 50; \$i++) { \$locks[\$i] = \$client->lock(\"many \$i\", 50.0); \$locks[\$i]->acquire() > 0 || exit(99); } \$client->inspect('many 0'); ";
$hang = "foreach ([{$quorum->nodes[3]->pid}, {$quorum->nodes[4]->pid}] as \$pid) { posix_kill(\$pid, SIGSTOP); } ";
foreach (['exit' => '', 'unset()' => '$locks = []; '] as $what => $end) {
	$took = seconds(fn () => same(0, run_php($code . $hang . $end)['status'], "$what with 50 locks, two hang"));
	between(0.0, 15.0, $took, "$what with 50 locks, two hang: it ends soon");
	$quorum->cont(3, 4);
	for ($i = 0; $i < 50; $i++) {
		$quorum->waitHeld(0, "many $i");
	}
	check(true, "$what with 50 locks, two hang: nothing stays on any of them");
}

// More locks than a server that is well gets to in that time.
same(0, run_php(str_replace('$i < 50', '$i < 250', $code) . '$locks = [];')['status'], '250 locks at once');
foreach ($quorum->all() as $i) {
	wait_until(fn () => $quorum->look($i)->must('EVAL', "return #redis.call('KEYS', ARGV[1])", '0', $quorum->prefix . 'many *') === 0, "node $i has nothing left");
}
check(true, '250 locks at once: nothing stays');
done();
?>
--EXPECT--
28 checks passed
