--TEST--
Time budget: no such host, nobody there
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/budget.inc';

$port = free_port();
foreach (['redis://no-such-host.invalid:6379', "redis://127.0.0.1:$port", "redis://[::1]:$port", 'unix:///nonexistent/redis.sock'] as $dsn) {
	all_within_budget($dsn, $dsn, null, null, RedisLock\ConnectionException::class);
}
$server = RedisServer::start(tcp: true);
foreach (['unix socket' => $server->dsn(), 'TCP' => $server->tcpDsn()] as $what => $dsn) {
	all_within_budget("killed, $what", $dsn, fn () => $server->kill(), fn () => $server->boot(), RedisLock\ConnectionException::class);
}
done();
?>
--EXPECT--
354 checks passed
