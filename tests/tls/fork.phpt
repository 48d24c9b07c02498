--TEST--
TLS: a forked child leaves the session of its parent alone, however it ends
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
pcntl
posix
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/tls.inc';

// What PHP itself leaves when it ends like this, LeakSanitizer would report, and not us.
putenv('ASAN_OPTIONS=' . getenv('ASAN_OPTIONS') . ':detect_leaks=0');

$fork = function (callable $code): int {
	$pid = pcntl_fork();
	if ($pid === 0) {
		$code();
		exit(0);
	}
	pcntl_waitpid($pid, $status);
	return $status;
};
foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
	$ca = new Authority();
	$server = tls_server($ca->issue('IP:127.0.0.1'), $ca, ['tls-protocols' => $version]);
	$redis = $server->connect();
	$client = new RedisLock\Client(tls_dsn($server, ['cafile' => $ca->file, 'connect_timeout' => 20]), 'test:', timeout: 20.0);
	$lock = $client->lock('held', 600.0);
	$fence = $lock->acquire();
	$own = array_keys(tls_clients($server));
	same(1, count($own), "$version: one connection");

	$ends = [
		'does nothing' => fn () => null,
		'exit()' => fn () => exit(3),
		'destroys its objects' => function () use (&$lock, &$client) { $lock = $client = null; gc_collect_cycles(); },
		'an uncaught exception' => function () { ini_set('display_errors', '0'); throw new Exception('as planned'); },
		'a fatal error' => function () { ini_set('display_errors', '0'); ini_set('memory_limit', '8M'); str_repeat('x', 100_000_000); },
		'SIGKILL' => fn () => posix_kill(getmypid(), SIGKILL),
		'tries to release what is not its' => fn () => $lock->release() && exit(1),
		'takes locks of its own' => function () use ($client) {
			$mine = $client->lock('of the child', 60.0);
			$mine->acquire() > 0 && $client->lock('held')->acquire() === null && $mine->renew() && $mine->release() || exit(1);
		},
	];
	foreach ($ends as $how => $code) {
		$status = $fork($code);
		check(!pcntl_wifexited($status) || pcntl_wexitstatus($status) !== 1, "$version, $how: as it should");
		// A word of TLS that the server does not expect there, or an end of the session, would end the connection.
		same(true, $lock->renew(), "$version, $how: the parent goes on");
		wait_until(fn () => array_keys(tls_clients($server)) === $own, 'the connections of the child are gone');
		same($own, array_keys(tls_clients($server)), "$version, $how: on the same connection");
		same([true, $fence], [$lock->isHeld(), $lock->fence()], "$version, $how: which still has the lock");
	}
	// Both at once: what the child sends is not mixed with what the parent sends.
	$pid = pcntl_fork();
	for ($i = 0; $i < 200; $i++) {
		$each = $client->lock($pid === 0 ? 'child' : 'parent', 60.0);
		if (!($each->acquire() > 0 && $each->release())) {
			echo $pid === 0 ? 'child' : 'parent', ": $i failed\n";
			break;
		}
	}
	$pid === 0 && exit(7);
	pcntl_waitpid($pid, $status);
	same([true, 7], [pcntl_wifexited($status), pcntl_wexitstatus($status)], "$version: the child is through");
	same($own, array_keys(tls_clients($server)), "$version: and the parent's connection is what it was");
	same(true, $lock->release(), "$version: the parent gives the lock back");
}
done();
?>
--EXPECT--
72 checks passed
