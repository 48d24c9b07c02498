--TEST--
Clients with the same settings share a connection; others do not
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$server = RedisServer::start([], tcp: true);
$redis = $server->connect();
$connections = fn (): int => substr_count($redis->must('CLIENT', 'LIST', 'TYPE', 'normal'), "\n") - 1;
same(0, $connections(), 'nobody is there');
$clients = [];
for ($i = 0; $i < 50; $i++) {
	$clients[$i] = new RedisLock\Client($server->dsn(), "prefix $i:");
}
same(0, $connections(), 'a client that is only made does not connect');
$locks = [];
foreach ($clients as $i => $client) {
	$locks[$i] = $client->lock('job', 60.0);
	same(0, $i ? 0 : $connections(), 'nor one that only made a lock');
	check($locks[$i]->acquire() > 0, "client $i works");
}
same(1, $connections(), 'fifty clients with the same server share one connection');
$locks = [];
check((new RedisLock\Client($server->tcpDsn(), 'x'))->lock('job', 60.0)->acquire() > 0, 'another way to the server');
same(2, $connections(), 'is another connection');
check((new RedisLock\Client($server->dsn('', 'db=1'), 'x'))->lock('job', 60.0)->acquire() > 0, 'another database');
same(3, $connections(), 'is another connection');

// The default client is one per request.
ini_set('redislock.servers', $server->dsn('', 'db=2'));
for ($i = 0; $i < 50; $i++) {
	check((new RedisLock("default $i", 60.0))->acquire() > 0, "the default client, lock $i");
}
same(4, $connections(), 'locks without a client share one connection');

// All of them close with the process.
$worker = new Worker('$lock = (new RedisLock\Client($argument, "w:"))->lock("job", 60.0); tell($lock->acquire() > 0); hear();', $server->dsn());
same(true, $worker->hear(), 'another process');
same(5, $connections(), 'has a connection of its own');
$worker->end();
wait_until(fn () => $connections() === 4, 'it is closed with the process');
check(true, 'closed');
done();
?>
--EXPECT--
161 checks passed
