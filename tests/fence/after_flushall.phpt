--TEST--
Fences still increase after FLUSHALL
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
$client = $server->client();
$lock = $client->lock('job', 30.0);
$last = 0;
for ($i = 0; $i < 50; $i++) {
	$fence = $lock->acquire();
	check($fence > $last, 'larger after a FLUSHALL while free', last: $last, fence: $fence);
	$last = $fence;
	$lock->release();
	$redis->must('FLUSHALL');
	same(0, $redis->must('DBSIZE'), 'Redis is empty');
}
for ($i = 0; $i < 50; $i++) {
	$fence = $lock->acquire();
	check($fence > $last, 'larger after a FLUSHALL while held', last: $last, fence: $fence);
	$redis->must('FLUSHALL');
	same(false, $lock->renew(), 'what was flushed cannot be renewed');
	same(0, $redis->must('DBSIZE'), 'and is not made anew');
	$other = $client->lock('job', 30.0);
	$last = $other->acquire();
	check($last > $fence, 'another one gets a larger fence', fence: $fence, other: $last);
	same(false, $lock->release(), 'the old holder cannot release it');
	same(true, $other->release(), 'the new one can');
}
done();
?>
--EXPECT--
400 checks passed
