--TEST--
A lock key of another type is WRONGTYPE and stays as it is
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$client = client();
$makes = [
	'list' => ['RPUSH', 'x'], 'set' => ['SADD', 'x'], 'sorted set' => ['ZADD', '1', 'x'], 'hash' => ['HSET', 'f', 'x'], 'stream' => ['XADD', '1-1', 'f', 'x'],
];
foreach ($makes as $type => $command) {
	redis()->must($command[0], lock_key($type), ...array_slice($command, 1));
	$before = redis()->must('DUMP', lock_key($type));
	$lock = $client->lock($type, 30.0);
	server_error('WRONGTYPE', fn () => $lock->acquire(), "$type: acquire()");
	server_error('WRONGTYPE', fn () => $lock->acquire(0.05), "$type: acquire() with a wait does not wait for it");
	server_error('WRONGTYPE', fn () => $lock->attach('x'), "$type: attach()");
	server_error('WRONGTYPE', fn () => $client->release($type, 'x'), "$type: release()");
	server_error('WRONGTYPE', fn () => $client->renew($type, 'x', 30.0), "$type: renew()");
	server_error('WRONGTYPE', fn () => $client->inspect($type), "$type: inspect()");
	same(false, $lock->isHeld(), "$type: nothing is held");
	same($before, redis()->must('DUMP', lock_key($type)), "$type: it is as it was");
	same(-1, redis()->must('PTTL', lock_key($type)), "$type: also its time to live");
	redis()->must('DEL', lock_key($type));
	check($lock->acquire() > 0, "$type: without it the name can be locked");
	$lock->release();
}
done();
?>
--EXPECT--
80 checks passed
