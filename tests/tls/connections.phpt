--TEST--
TLS: connections that end, waiting in the queue, and the whole life of a lock
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

const WAITER = <<<'PHP'
	$lock = (new RedisLock\Client($argument, 'test:', timeout: 20.0))->lock('job', 60.0);
	ready();
	$fence = $lock->acquire(60.0);
	tell($fence);
	hear();
	tell($lock->release());
	PHP;

foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
	$ca = new Authority();
	$server = tls_server($ca->issue('IP:127.0.0.1'), $ca, ['tls-protocols' => $version]);
	$redis = $server->connect();
	$dsn = tls_dsn($server, ['cafile' => $ca->file, 'connect_timeout' => 20]);
	$client = new RedisLock\Client($dsn, 'test:', timeout: 20.0);

	// Everything once, over one connection.
	$lock = $client->lock('job', 60.0);
	$fence = $lock->acquire();
	check($fence > 0, "$version: acquire");
	same(null, $client->lock('job')->acquire(), "$version: held");
	same([true, true], [$lock->renew(), $client->inspect('job')['held']], "$version: renew, inspect");
	$other = $client->lock('job', 60.0);
	check($other->attach($lock->detach()) > $fence, "$version: detach, attach");
	same(true, $other->release(), "$version: release");
	same('done', $lock->synchronized(fn () => 'done'), "$version: synchronized");
	same(1, count(tls_clients($server)), "$version: one connection for all");

	// A name of the greatest length, and a password: more than one record would hold is asked for bit by bit.
	$long = $client->lock(str_repeat("\xff", RedisLock::MAX_NAME_LENGTH));
	check($long->acquire() > 0 && $long->release(), "$version: a long name");

	// The server hangs up, with and without a lock.
	$lock->acquire();
	$redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
	same([true, true], [$lock->renew(), $lock->release()], "$version: killed by the server: on a new connection");
	$redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
	check($lock->acquire() > 0, "$version: killed while idle");
	$server->restart();
	$redis = $server->connect();
	same(false, $lock->renew(), "$version: a restart without persistence: the lock is gone");
	check($lock->isHeld() === false && $lock->acquire() > 0, "$version: and can be taken again");

	// Waiting: handed over by a release, in the order of arrival, without polling.
	$waiters = [];
	foreach ([0, 1] as $i) {
		$waiters[$i] = new Worker(WAITER, $dsn);
		$waiters[$i]->hear();
		$waiters[$i]->tell('go');
		wait_until(fn () => substr_count($redis->must('CLIENT', 'LIST'), 'cmd=blpop') === $i + 1, "waiter $i waits");
	}
	$fence = $lock->fence();
	same(true, $lock->release(), "$version: release to one who waits");
	foreach ($waiters as $i => $waiter) {
		$got = $waiter->hear();
		check($got > $fence, "$version: waiter $i got it, in turn");
		$fence = $got;
		same(true, $waiter->ask('release'), "$version: waiter $i gives it back");
		same(['output' => '', 'status' => 0], $waiter->end(), "$version: waiter $i ends");
	}

	// A holder that does not give it back: the waiter looks by itself. And it survives the loss of its connections.
	$lock = $client->lock('job', 3.0, autoRelease: false);
	$lock->acquire();
	$waiter = new Worker(WAITER, $dsn);
	$waiter->hear();
	$waiter->tell('go');
	wait_until(fn () => str_contains($redis->must('CLIENT', 'LIST'), 'cmd=blpop'), 'it waits');
	$redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
	check($waiter->hear() > $lock->fence(), "$version: the lease ended, and the waiter has it");
	same(true, $waiter->ask('release'), "$version: and gives it back");
	same(['output' => '', 'status' => 0], $waiter->end(), "$version: and ends");

	// A renewed certificate is met by the next connection, without a new client.
	$lock = $client->lock('job');
	$redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
	$renewed = $ca->issue('DNS:elsewhere.example');
	$redis->must('CONFIG', 'SET', 'tls-cert-file', $renewed->cert, 'tls-key-file', $renewed->key);
	throws(RedisLock\ConnectionException::class, fn () => $lock->acquire(), "$version: another certificate, and not one for us", 'not accepted');
}
done();
?>
--EXPECT--
46 checks passed
