--TEST--
A reservation that would last longer than it was made for, because the clock was set back, ends all the same
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$client = $queue->server->client(prefix());
$key = lock_key('job');
foreach (['ten minutes' => ['PX', 600000], 'no end at all' => []] as $left => $expiry) {
	// It was picked up, and who did that has died.
	$queue->redis->must('SET', $key, 'handoff:4711', ...$expiry);
	same(null, $client->lock('job')->acquire(), "$left: acquire() without a wait does not get it");
	between(1, 500, $queue->redis->must('PTTL', $key), "$left: but it is over soon");

	$queue->redis->must('SET', $key, 'handoff:4711', ...$expiry);
	$lock = $client->lock('job', 600.0);
	check($lock->acquire(30.0) > 0, "$left: a waiter gets it");
	$queue->redis->must('SET', $key, 'handoff:4711', ...$expiry);
	// Nobody who acquires: only the look at the lock of one that waits for another one's reservation.
	$line = $queue->line(['w1']);
	wait_until(fn () => !str_starts_with((string) $queue->holder(), 'handoff:4711'), "$left: who looks at it ends it");
	$queue->checkServed($line);
	$queue->redis->must('DEL', $key, side_key($key, 'wake'), side_key($key, 'wait'));
}
// A lease may be as long as it likes.
$queue->redis->must('SET', $key, 'somebody', 'PX', 600000);
same(null, $client->lock('job')->acquire(), 'held');
between(500000, 600000, $queue->redis->must('PTTL', $key), 'a lease is not cut');
done();
?>
--EXPECT--
12 checks passed
