--TEST--
Quorum: many attach to one token at the same moment: each gets a fence of its own
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

// A job that is delivered twice hands the same token to two workers. They are one owner to Redis; their fences are what
// tells the database which one came last.
foreach ([3, 5] as $count) {
	$quorum = Quorum::start($count);
	$client = $quorum->client();
	$workers = Worker::many(4, <<<'PHP'
		$client = new RedisLock\Client($argument, prefix());
		while (true) {
			[$name, $token] = hear();
			$lock = $client->lock($name, 30.0, false);
			tell($lock->attach($token));
		}
		PHP, $quorum->dsns());
	$attached = $twice = $notLarger = 0;
	for ($round = 0; $round < 200; $round++) {
		$lock = $client->lock("job $round", 30.0, false);
		$fence = $lock->acquire();
		$token = $lock->detach();
		foreach ($workers as $worker) {
			$worker->tell(["job $round", $token]);
		}
		$fences = array_map(fn (Worker $worker) => $worker->hear(), $workers);
		$attached += count(array_filter($fences));
		$twice += count($fences) - count(array_unique($fences));
		$notLarger += count(array_filter($fences, fn (?int $other) => $other <= $fence));
		$client->release("job $round", $token) || check(false, 'the token still holds it');
		check($client->lock("job $round", 30.0)->acquire() > max($fences), "$count nodes, $round: the next owner's is larger than all of them");
	}
	same(800, $attached, "$count nodes: each of them attaches");
	same(0, $twice, "$count nodes: no fence was handed out twice");
	same(0, $notLarger, "$count nodes: all are larger than the one of the first owner");
}
done();
?>
--EXPECT--
406 checks passed
