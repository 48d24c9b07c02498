--TEST--
Fences still increase after a restart without persistence
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start([], tcp: true);
foreach (['unix socket' => $server->dsn(), 'TCP' => $server->tcpDsn()] as $way => $dsn) {
	$client = new RedisLock\Client($dsn, prefix());
	$lock = $client->lock('job', 30.0);
	$last = 0;
	for ($i = 0; $i < 5; $i++) {
		$fence = $lock->acquire();
		check($fence > $last, "$way: larger after a restart while free", last: $last, fence: $fence);
		$lock->release();
		$last = $fence;
		$server->restart();
	}
	$fence = $lock->acquire();
	check($fence > $last, "$way: larger", last: $last, fence: $fence);
	$server->restart();
	same(0, $server->connect()->must('DBSIZE'), "$way: Redis knows nothing any more");
	same(true, $lock->isHeld(), "$way: the local clock cannot know");
	same(false, $lock->renew(), "$way: a lock that the server forgot cannot be renewed");
	same(false, $lock->isHeld(), "$way: now it is known");
	$other = $client->lock('job', 30.0);
	$next = $other->acquire();
	check($next > $fence, "$way: the next one has a larger fence", fence: $fence, next: $next);
	same(false, $lock->release(), "$way: the old holder has nothing to release");
	same(true, $other->release(), "$way: the new one has");
}
done();
?>
--EXPECT--
26 checks passed
