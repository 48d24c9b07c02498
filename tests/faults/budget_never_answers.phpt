--TEST--
Time budget: a server that accepts and never answers
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/budget.inc';

$server = RedisServer::start();
$proxy = FaultProxy::before($server);
$break = function () use ($proxy) {
	$proxy->onConnect('ignore', times: 0);
	$proxy->hangUp();
};
$mend = function () use ($proxy) {
	$proxy->clear();
	$proxy->hangUp();
};
all_within_budget('new connections', $proxy->dsn(), $break, $mend, RedisLock\UncertainException::class);
// With a log-in nothing of ours was sent before that is answered.
all_within_budget('log-in', $proxy->dsn('db=3'), $break, $mend, RedisLock\ConnectionException::class);
all_within_budget('idle connections', $proxy->dsn(), fn () => $proxy->onCommand('*', 'swallow', times: 0), $mend, RedisLock\UncertainException::class);
done();
?>
--EXPECT--
201 checks passed
