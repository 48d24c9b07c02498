--TEST--
Quorum: fences of many processes are distinct and increase in the order of ownership
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

const PROCESSES = 16;
const ACQUISITIONS = 50;

// Each writes down its fence while it holds the lock, so the list is in the order of ownership. The counter is read
// and written in two steps: if two ever held the lock at once, it would end too small.
foreach ([3, 5] as $count) {
	$quorum = Quorum::start($count, $count === 5);
	$workers = Worker::many(PROCESSES, <<<'PHP'
		[$dsns, $acquisitions, $run] = $argument;
		$redis = redis();
		$lock = (new RedisLock\Client($dsns, prefix()))->lock('job', 60.0);
		ready();
		for ($i = 0; $i < $acquisitions; $i++) {
			$fence = $lock->acquire(600.0);
			$seen = (int) $redis->must('GET', prefix() . "count $run");
			$redis->must('RPUSH', prefix() . "order $run", "$fence");
			$redis->must('SET', prefix() . "count $run", $seen + 1);
			if (!$lock->release()) {
				tell('a release was refused');
				exit(1);
			}
			usleep(random_int(0, 2000));
		}
		tell('finished');
		PHP, [$quorum->dsns(), ACQUISITIONS, $count]);
	start_together($workers);
	foreach ($workers as $worker) {
		$said = $worker->hear();
		$said === 'finished' || print "a worker said: $said\n";
		$ended = $worker->end();
		$ended === ['output' => '', 'status' => 0] || print "a worker ended with $ended[status]: $ended[output]\n";
	}
	$order = array_map('intval', redis()->must('LRANGE', prefix() . "order $count", 0, -1));
	same(PROCESSES * ACQUISITIONS, count($order), "$count nodes: every acquisition was written down");
	same(count($order), count(array_unique($order)), "$count nodes: all fences are distinct");
	$sorted = $order;
	sort($sorted);
	same(true, $sorted === $order, "$count nodes: they increase in the order of ownership");
	same((string) (PROCESSES * ACQUISITIONS), redis()->must('GET', prefix() . "count $count"), "$count nodes: nobody held the lock beside another");
	$quorum->waitHeld(0, 'job');
	redis()->must('DEL', prefix() . "order $count", prefix() . "count $count");
}
done();
?>
--EXPECT--
8 checks passed
