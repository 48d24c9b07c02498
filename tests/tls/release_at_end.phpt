--TEST--
TLS: locks are given back by destructors and at the end of a process
--DESCRIPTION--
With TLS 1.3 a server sends something of its own after the handshake. A connection that is closed with that unread is
reset, and what was written on it just before could be lost.
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

const ENDS = [
	'unset' => '$lock = null; hear();',
	'end of the script' => '',
	'exit' => 'exit(0);',
	'uncaught exception' => 'ini_set("display_errors", "0"); throw new Exception("as planned");',
	'fatal error' => 'ini_set("display_errors", "0"); ini_set("memory_limit", "8M"); str_repeat("x", 100_000_000);',
];
foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
	$ca = new Authority();
	$server = tls_server($ca->issue('IP:127.0.0.1'), $ca, ['tls-protocols' => $version]);
	$redis = $server->connect();
	$dsn = tls_dsn($server, ['cafile' => $ca->file, 'connect_timeout' => 20]);
	foreach (ENDS as $how => $end) {
		foreach (['1' => 'persistent', '0' => 'not persistent'] as $persistent => $kind) {
			$worker = new Worker(<<<PHP
				\$lock = (new RedisLock\\Client(\$argument, 'test:', timeout: 20.0))->lock('job', 600.0);
				\$lock->acquire() > 0 || exit(1);
				tell('held');
				hear();
				$end
				PHP, $dsn, ['redislock.persistent' => $persistent]);
			same('held', $worker->hear(), "$version, $kind, $how: held");
			// The connection that it has is gone: the release needs a handshake of its own.
			$persistent === '0' && $redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
			$worker->tell('go');
			$how === 'unset' || $worker->end();
			wait_until(fn () => $redis->must('EXISTS', 'test:job') === 0, "$version, $kind, $how: given back");
			check(true, "$version, $kind, $how: given back");
			unset($worker);
		}
	}
}
done();
?>
--EXPECT--
40 checks passed
