--TEST--
Fork: however a child ends, its parent is undisturbed and nothing goes over the wire
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

// What PHP itself leaves when it ends like this, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$server = RedisServer::start(tcp: true);
$redis = $server->connect();
/* The connections of others. */
$ids = function () use ($redis) {
	preg_match_all('/^id=(\d+) /m', $redis->must('CLIENT', 'LIST', 'TYPE', 'normal'), $found);
	return array_values(array_diff($found[1], [(string) $redis->must('CLIENT', 'ID')]));
};
$calls = function () use ($redis) {
	return array_diff_key($redis->calls(), ['client|list' => 0, 'client|id' => 0]);
};
/* Runs code in a child and waits for its end. */
$fork = function (callable $code): int {
	$pid = pcntl_fork();
	if ($pid === 0) {
		$code();
		exit(0);
	}
	pcntl_waitpid($pid, $status);
	return $status;
};
foreach (['unix socket' => $server->dsn(), 'TCP' => $server->tcpDsn()] as $where => $dsn) {
	$client = new RedisLock\Client($dsn, prefix());
	$lock = $client->lock("held $where", 600.0);
	$fence = $lock->acquire();
	$token = $lock->token();
	$own = $ids();
	same(1, count($own), "$where: one connection");
	$before = lock_state("held $where", $redis);
	$redis->must('CONFIG', 'RESETSTAT');

	$ends = [
		'does nothing' => [fn () => null, true],
		'exit()' => [fn () => exit(3), true],
		'destroys its objects' => [function () use (&$lock, &$client) { unset($lock, $client); $lock = $client = null; gc_collect_cycles(); }, true],
		'an uncaught exception' => [function () { ini_set('display_errors', '0'); throw new Exception('as planned'); }, true],
		'a fatal error' => [function () { ini_set('display_errors', '0'); ini_set('memory_limit', '8M'); str_repeat('x', 100_000_000); }, true],
		'SIGKILL' => [fn () => posix_kill(getmypid(), SIGKILL), false],
		'SIGTERM' => [fn () => posix_kill(getmypid(), SIGTERM), false],
		'exec' => [fn () => pcntl_exec('/bin/true'), true],
		'a child of the child' => [function () use ($fork, $lock) { $fork(fn () => $lock->release() && exit(1)); }, true],
		'asks its object' => [function () use ($lock) {
			same([false, 0.0, null], [$lock->isHeld(), $lock->remaining(), $lock->token()], 'in the child it is not held');
			same(false, $lock->release(), 'in the child there is nothing to give back');
			same(false, $lock->renew(), 'nor to renew');
			throws(RedisLock\RedisLockError::class, fn () => $lock->detach(), 'nor to hand over');
			exit(Checks::$failed);
		}, true],
		'asks without releasing' => [function () use ($lock) {
			same([false, 0.0, null], [$lock->isHeld(), $lock->remaining(), $lock->token()], 'in the child it is not held');
			exit(Checks::$failed);
		}, true],
	];
	foreach ($ends as $how => [$code, $exits]) {
		$status = $fork($code);
		same($exits, pcntl_wifexited($status), "$where, $how: that is how it ended");
		same([], $calls(), "$where, $how: it sent nothing");
		same($own, $ids(), "$where, $how: the connection of the parent is open, and no other");
	}
	same(0, $fork($ends['asks its object'][0]), "$where: in the child all is as it should be");
	same($before, lock_state("held $where", $redis), "$where: the lock is what it was");
	same([true, $token, $fence], [$lock->isHeld(), $lock->token(), $lock->fence()], "$where: also for the parent");
	same(true, $lock->renew(), "$where: which renews it");
	same(true, $lock->release(), "$where: and gives it back");
	same($own, $ids(), "$where: all over its connection");
	unset($client, $lock);
	$redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
}
done();
?>
--EXPECT--
80 checks passed
