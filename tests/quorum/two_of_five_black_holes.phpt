--TEST--
Quorum: two of five swallow everything: everything works
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/gone.inc';

$quorum = Quorum::start(5);
$proxies = [1 => FaultProxy::before($quorum->nodes[1], tcp: true), 4 => FaultProxy::before($quorum->nodes[4], tcp: true)];
$dsns = array_replace($quorum->dsns(), array_map(fn (FaultProxy $proxy) => $proxy->tcpDsn(), $proxies));
$connect = fn () => new RedisLock\Client($dsns, $quorum->prefix, connectTimeout: 1.0, timeout: 1.0);
minority_gone(
	'connections that lead nowhere',
	$quorum,
	[1, 4],
	$connect,
	fn () => array_map(fn (FaultProxy $proxy) => [$proxy->onCommand('*', 'swallow', times: 0), $proxy->onConnect('ignore', times: 0)], $proxies),
	fn () => array_map(fn (FaultProxy $proxy) => $proxy->clear(), $proxies),
	5.0,
);

// A process that has never seen them: nobody answers from the first connection on.
foreach ($proxies as $proxy) {
	$proxy->onConnect('ignore', times: 0);
}
$worker = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, prefix(), connectTimeout: 60.0, timeout: 60.0);
	$begin = hrtime(true);
	$lock = $client->lock('job', 50.0);
	$said = [$lock->acquire() > 0, $lock->renew(), $client->lock('job')->acquire() === null, $lock->release()];
	tell([$said, (hrtime(true) - $begin) / 1e9]);
	PHP, $dsns);
[$said, $took] = $worker->hear();
same([true, true, true, true], $said, 'black holes from the beginning: acquire(), renew(), contention, release()');
between(0.0, SLACK, $took, 'without waiting for them');
same(['output' => '', 'status' => 0], $worker->end(), 'it ends well');
done();
?>
--EXPECT--
19 checks passed
