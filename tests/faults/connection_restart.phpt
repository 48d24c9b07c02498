--TEST--
A server that is started anew on the same address is used at once, and answers for what it knows
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start(['appendonly' => 'yes', 'appendfsync' => 'always'], tcp: true);
foreach (['unix socket' => $server->dsn(), 'TCP' => $server->tcpDsn()] as $where => $dsn) {
	$client = new RedisLock\Client($dsn, prefix());
	$lock = $client->lock("kept, $where", 600.0);
	$fence = $lock->acquire();
	$server->restart();
	same(true, $lock->renew(), "$where: it has kept the lock: renewed");
	$server->restart();
	same(null, $client->lock("kept, $where")->acquire(), "$where: it is held");
	$server->restart();
	same(true, $lock->release(), "$where: released");
	$server->restart();
	check($lock->acquire() > $fence, "$where: acquired anew, with a larger fence");

	$lock = $client->lock("lost, $where", 600.0);
	$fence = $lock->acquire();
	$server->connect()->must('FLUSHALL');
	$server->restart();
	same(false, $lock->renew(), "$where: it has lost the lock: not ours any more");
	$server->restart();
	check($lock->acquire() > $fence, "$where: acquired anew, with a larger fence");
	$server->restart();
	same(true, $lock->release(), "$where: released");
}
done();
?>
--EXPECT--
14 checks passed
