--TEST--
Answers to attach, inspect and forceRelease are lost
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
$client = $proxy->client(timeout: 0.5);
$direct = $server->client(prefix());
$faults = [];
foreach (['cut', 'swallow', 'truncate'] as $fault) {
	array_push($faults, ["$fault, not executed", 'onCommand', $fault], ["$fault, executed", 'onReply', $fault]);
}
foreach ($faults as [$name, $where, $fault]) {
	// attach() can be repeated: each time it is a new ownership with a new fence.
	$direct->lock($name, 60.0, false)->acquire(0.0, 'token');
	$proxy->forget();
	$proxy->$where('attach', $fault, keep: 3);
	$lock = $client->lock($name, 60.0, false);
	$fence = $lock->attach('token');
	same("$fence", $redis->must('GET', fence_key($name)), "$name: attach() has the fence that counts");
	same([2, true], [$proxy->count('attach'), $lock->isHeld()], "$name: after a repeat");
	$proxy->$where('attach', $fault, times: 0, keep: 3);
	$lock = $client->lock($name, 60.0, false);
	throws(RedisLock\UncertainException::class, fn () => $lock->attach('token'), "$name: attach() is unknown if all are lost", 'attach');
	same([false, null], [$lock->isHeld(), $lock->token()], "$name: and then not held");
	$proxy->clear();
	check($lock->attach('token') >= $fence, "$name: attach() again");

	// inspect() changes nothing.
	$proxy->forget();
	$proxy->$where('inspect', $fault, keep: 3);
	same('token', $client->inspect($name)['token'], "$name: inspect() is repeated");
	same(2, $proxy->count('inspect'), "$name: once");
	$proxy->$where('inspect', $fault, times: 0, keep: 3);
	throws(RedisLock\FailureException::class, fn () => $client->inspect($name), "$name: inspect() fails if all are lost");
	$proxy->clear();

	// A second forceRelease() could hit the next holder.
	$proxy->forget();
	$proxy->$where('forceRelease', $fault, keep: 3);
	throws(RedisLock\UncertainException::class, fn () => $client->forceRelease($name), "$name: forceRelease() is unknown");
	same(1, $proxy->count('forceRelease'), "$name: and never repeated");
	same($where === 'onReply' ? 0 : 1, $redis->must('EXISTS', lock_key($name)), "$name: whatever it did");
	$proxy->clear();
}
done();
?>
--EXPECT--
66 checks passed
