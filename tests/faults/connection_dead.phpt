--TEST--
An idle connection that died is replaced, and the call is right
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start(tcp: true);
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$kill = fn () => $redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
$hangUp = fn () => $proxy->hangUp();
foreach (['unix socket' => [$server->dsn(), $kill], 'TCP' => [$server->tcpDsn(), $kill], 'proxy' => [$proxy->dsn(), $hangUp]] as $where => [$dsn, $close]) {
	$client = new RedisLock\Client($dsn, prefix());
	$held = $client->lock($where, 600.0);
	$fence = $held->acquire();
	$token = $held->token();
	$close();
	same(true, $held->renew(), "$where: renew()");
	$close();
	same($token, $client->inspect($where)['token'], "$where: inspect()");
	$close();
	same(null, $client->lock($where)->acquire(), "$where: acquire() of what is held");
	$close();
	same(false, $client->release($where, 'x'), "$where: Client::release() of what another has");
	$close();
	same(true, $client->renew($where, $token, 600.0), "$where: Client::renew()");
	$close();
	same(true, $held->release(), "$where: release()");
	$close();
	$next = $held->acquire();
	check($next > $fence, "$where: acquire()");
	$close();
	// These are never sent twice: they must not be sent on a dead connection first.
	same(true, $client->forceRelease($where), "$where: forceRelease()");
	$close();
	$chosen = $client->lock($where, 600.0, false);
	check($chosen->acquire(0.0, 'owner') > $next, "$where: acquire() with a token of the caller");
	$close();
	check($client->lock($where, 600.0, false)->attach('owner') > $next, "$where: attach()");
	$close();
	unset($held);
	$client->forceRelease($where);
}

// The server closes what is idle for a second. A connection of the test would be closed as well.
$connections = fn () => substr_count($server->connect()->must('CLIENT', 'LIST', 'TYPE', 'normal'), "\n");
$client = $server->client(prefix());
$lock = $client->lock('timeout', 600.0);
$lock->acquire();
$server->connect()->must('CONFIG', 'SET', 'timeout', '1');
wait_until(fn () => $connections() === 1, 'the idle connections are closed');
same(true, $lock->renew(), 'the timeout of the server: renew()');
wait_until(fn () => $connections() === 1, 'the idle connections are closed');
same(true, $lock->release(), 'the timeout of the server: release()');
done();
?>
--EXPECT--
32 checks passed
