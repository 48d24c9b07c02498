--TEST--
Time budget: a server that closes at once, at the first byte, after each byte, and in the middle of the answer
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
foreach (['close', 'hang-up'] as $how) {
	$break = function () use ($proxy, $how) {
		$proxy->onConnect($how, times: 0);
		$proxy->hangUp();
	};
	// Whether the command got into the pipe before that was closed is chance.
	all_within_budget($how, $proxy->dsn(), $break, $mend, RedisLock\ConnectionException::class, RedisLock\UncertainException::class);
}
foreach ([1, 2, 3] as $keep) {
	$break = fn () => $proxy->onReply('*', 'truncate', times: 0, keep: $keep);
	all_within_budget("closes after byte $keep", $proxy->dsn(), $break, $mend, RedisLock\UncertainException::class);
}
done();
?>
--EXPECT--
335 checks passed
