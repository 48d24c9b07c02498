--TEST--
Quorum: more nodes than anybody has
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

// Each of them keeps its connection.
$quorum = Quorum::start(19);
$client = $quorum->client(connectTimeout: 60.0, timeout: 60.0);
$quorum->warmUp($client);
$quorum->forgetCalls();
$lock = $client->lock('job', 30.0);
$failed = 0;
for ($i = 0; $i < 100; $i++) {
	$failed += $lock->acquire() > 0 && $lock->release() ? 0 : 1;
}
same(0, $failed, '100 cycles work');
$quorum->settle();
$calls = array_column($quorum->calls(['evalsha', 'info']), 'evalsha');
same(19, count($calls), 'each node takes part');
// A node that does not get to run for a while on a busy machine is left out of some of them.
check(max($calls) <= 200 && array_sum($calls) >= 10 * 200, 'a majority in each of them, and each node at most once', calls: $calls);
same(array_fill(0, 19, 0), $quorum->accepted(), 'over the same connections');
$quorum->stop(...range(0, 8));
check($lock->acquire() > 0 && $lock->renew() && $lock->release(), 'nine of nineteen are stopped: it works');
$quorum->stop(9);
$client = $quorum->client(timeout: 1.0);
throws(RedisLock\QuorumException::class, fn () => $client->lock('job')->acquire(), 'ten of nineteen are stopped: it does not', '10 of 19');
$quorum->cont(...range(0, 9));

// 31 are the most; more are refused before anything is sent.
$dsns = array_map(fn (int $port) => "redis://127.0.0.1:$port", range(1, 32));
throws(ValueError::class, fn () => new RedisLock\Client($dsns), '32 nodes', '31');
$client = new RedisLock\Client(array_slice($dsns, 0, 31));
$thrown = throws(RedisLock\QuorumException::class, fn () => $client->lock('job')->acquire(), '31 nodes, none of which is there', 'of 31');
check(count($thrown->errors) >= 16, 'at least a majority of them is named', count: count($thrown->errors));
done();
?>
--EXPECT--
9 checks passed
