--TEST--
Time budget: a server that answers one byte a second
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/budget.inc';

$server = RedisServer::start();
$proxy = FaultProxy::before($server);
$mend = function () use ($proxy) {
	$proxy->clear();
	$proxy->hangUp();
};
all_within_budget('answers', $proxy->dsn(), fn () => $proxy->onReply('*', 'drip', times: 0, ms: 1000), $mend, RedisLock\UncertainException::class);
$break = function () use ($proxy) {
	$proxy->onReply('SELECT', 'drip', times: 0, ms: 1000);
	$proxy->hangUp();
};
all_within_budget('log-in', $proxy->dsn('db=3'), $break, $mend, RedisLock\ConnectionException::class);
done();
?>
--EXPECT--
134 checks passed
