--TEST--
An acquire with a token of the caller is never repeated, and nothing is written behind it
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
foreach (['cut', 'swallow', 'truncate', 'hold'] as $fault) {
	foreach (['onCommand' => 'not executed', 'onReply' => 'executed'] as $where => $what) {
		foreach ([0.0, 2.0] as $wait) {
			$name = "$fault $what $wait";
			$proxy->$where('acquire', $fault, keep: 3);
			$proxy->forget();
			$lock = $proxy->client(timeout: 0.2)->lock($name, 60.0);
			throws(RedisLock\UncertainException::class, fn () => $lock->acquire($wait, 'owner'), "$name: unknown", 'acquire');
			same([false, null, null], [$lock->isHeld(), $lock->token(), $lock->fence()], "$name: not held");
			same(false, $lock->release(), "$name: nothing of its own to give back");
			unset($lock);
			same(['acquire'], $proxy->names(), "$name: nothing else was sent");
			if ($what === 'executed') {
				same('owner', $redis->must('GET', lock_key($name)), "$name: it is held by that token");
				same(true, $proxy->client()->release($name, 'owner'), "$name: who knows it can give it back");
			} elseif ($fault === 'hold') {
				$proxy->release();
				$proxy->waitAnswered('acquire', 1);
				same('owner', $redis->must('GET', lock_key($name)), "$name: a late one does what it says");
			} else {
				same(null, $redis->must('GET', lock_key($name)), "$name: it is free");
			}
			$proxy->clear();
			$proxy->release();
		}
	}
}
done();
?>
--EXPECT--
88 checks passed
