--TEST--
64 processes, 200 acquisitions each on one name: fences are distinct and increase in the order of ownership
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

const PROCESSES = 64;
const ACQUISITIONS = 200;

// Each writes down its fence while it holds the lock, so the list is in the order of ownership. The counter is read
// and written in two steps: if two ever held the lock at once, it would end too small.
$workers = Worker::many(PROCESSES, <<<'PHP'
	$redis = redis();
	$lock = client()->lock('job', 60.0);
	ready();
	for ($i = 0; $i < $argument; $i++) {
		$fence = $lock->acquire(600.0);
		$count = (int) $redis->must('GET', prefix() . 'count');
		$redis->must('RPUSH', prefix() . 'order', "$fence");
		$redis->must('SET', prefix() . 'count', $count + 1);
		if (!$lock->release()) {
			tell('a release was refused');
			exit(1);
		}
	}
	tell('finished');
	PHP, ACQUISITIONS);
start_together($workers);
foreach ($workers as $worker) {
	$said = $worker->hear();
	$said === 'finished' || print "a worker said: $said\n";
	$ended = $worker->end();
	$ended === ['output' => '', 'status' => 0] || print "a worker ended with $ended[status]: $ended[output]\n";
}

$order = array_map('intval', redis()->must('LRANGE', prefix() . 'order', 0, -1));
same(PROCESSES * ACQUISITIONS, count($order), 'every acquisition was written down');
same(count($order), count(array_unique($order)), 'all fences are distinct');
$sorted = $order;
sort($sorted);
same(true, $sorted === $order, 'they increase in the order of ownership');
same((string) (PROCESSES * ACQUISITIONS), redis()->must('GET', prefix() . 'count'), 'nobody held the lock beside another');
same((string) end($order), redis()->must('GET', fence_key('job')), 'the fence key holds the last one');
same(true, is_free('job'), 'the lock is free at the end');
redis()->must('DEL', prefix() . 'order', prefix() . 'count', fence_key('job'));
done();
?>
--EXPECT--
6 checks passed
