--TEST--
The server ends while a lock is held: the lease stands, and it is never mistaken for contention
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start([], tcp: true);
foreach (['unix socket' => $server->dsn(), 'TCP' => $server->tcpDsn()] as $way => $dsn) {
	$client = new RedisLock\Client($dsn, prefix(), 1.0, 1.0, 0.2);
	$lock = $client->lock('job', 60.0);
	$fence = $lock->acquire();
	$token = $lock->token();
	$server->kill();
	throws(RedisLock\FailureException::class, fn () => $lock->renew(), "$way: renew()");
	same([true, $fence, $token], [$lock->isHeld(), $lock->fence(), $lock->token()], "$way: the old lease stands");
	throws(RedisLock\FailureException::class, fn () => $client->lock('other')->acquire(), "$way: acquire()");
	throws(RedisLock\FailureException::class, fn () => $client->inspect('job'), "$way: inspect()");
	$server->boot();
	$other = $client->lock('other', 60.0);
	check($other->acquire() > 0, "$way: the server is back, and everything works again");
	same(true, $other->release(), "$way: also release()");
	same(false, $lock->renew(), "$way: the old lock was lost with the server");
	same(false, $lock->release(), "$way: and cannot be released");

	$lock->acquire();
	$server->kill();
	throws(RedisLock\FailureException::class, fn () => $lock->release(), "$way: release() without a server");
	$server->boot();
}
done();
?>
--EXPECT--
18 checks passed
