--TEST--
The answer that a lock is reserved, and that the wake list is needed, is lost on its way
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$client = $proxy->client();
$key = lock_key('job');
$wake = side_key($key, 'wake');
$reserve = function (bool $picked_up) use ($redis, $key, $wake): void {
	$redis->must('DEL', $key, $wake);
	$redis->must('SET', $key, 'handoff:4711', 'PX', 600000);
	$picked_up || $redis->must('RPUSH', $wake, '4711');
};

foreach (['the first answer' => 0, 'the second one' => 1] as $which => $skip) {
	$reserve(picked_up: false);
	$lock = $client->lock('job', 600.0);
	$proxy->onReply('acquire', 'cut', skip: $skip);
	check($lock->acquire() > 0, "$which is cut off: a reservation for nobody is taken all the same");
	same($lock->token(), $redis->must('GET', $key), "$which: it is ours");
	same(0, $redis->must('EXISTS', $wake), "$which: nobody is woken for it");
	same(true, $lock->release(), "$which: it is given back");
	same(0, $redis->must('EXISTS', $key), "$which: nothing is left");

	$reserve(picked_up: true);
	$lock = $client->lock('job', 600.0);
	$proxy->onReply('acquire', 'cut', skip: $skip);
	same(null, $lock->acquire(), "$which is cut off: a reservation for somebody is kept");
	same('handoff:4711', $redis->must('GET', $key), "$which: as it was");
	same(false, $lock->release(), "$which: there is nothing to give back");
}

// The scripts are forgotten in between, and a token of the caller's.
$reserve(picked_up: false);
$redis->must('SCRIPT', 'FLUSH');
$lock = $client->lock('job', 600.0);
check($lock->acquire(0.0, 'owner') > 0, 'an unknown script, and a reservation for nobody');
same('owner', $redis->must('GET', $key), 'it is ours');
same(true, $lock->release(), 'and given back');
$reserve(picked_up: true);
$redis->must('SCRIPT', 'FLUSH');
same(null, $lock->acquire(0.0, 'owner'), 'an unknown script, and a reservation for somebody');
same('handoff:4711', $redis->must('GET', $key), 'as it was');

// Two commands where a reservation is met, one where none is.
$acquires = fn (): int => $redis->calls()['evalsha'] ?? 0;
$before = $acquires();
same(null, $client->lock('job')->acquire(), 'reserved');
same(2, $acquires() - $before, 'asked twice');
$redis->must('SET', $key, 'somebody', 'PX', 600000);
$before = $acquires();
same(null, $client->lock('job')->acquire(), 'held');
same(1, $acquires() - $before, 'asked once');
done();
?>
--EXPECT--
25 checks passed
