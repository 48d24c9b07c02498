--TEST--
Quorum: fences keep their order whatever the clocks of the clients say
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif.inc';
require __DIR__ . '/faketime.inc';
if (faketime() === null) {
	echo 'skip no libfaketime';
} elseif (getenv('TEST_ASAN')) {
	echo 'skip libfaketime does not go with the sanitizers';
}
?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';
require __DIR__ . '/faketime.inc';

const ACQUISITIONS = 60;

$quorum = Quorum::start(5);
$code = <<<'PHP'
	[$dsns, $acquisitions] = $argument;
	$lock = (new RedisLock\Client($dsns, prefix()))->lock('job', 60.0);
	$redis = redis();
	$offset = time() - (int) $redis->must('TIME')[0];
	tell($offset);
	hear();
	$wrong = 0;
	for ($i = 0; $i < $acquisitions; $i++) {
		$fence = $lock->acquire(600.0);
		$redis->must('RPUSH', prefix() . 'order', "$fence");
		// The lease is measured on a clock that nobody set.
		$wrong += $lock->remaining() > 50.0 && $lock->remaining() <= 60.0 ? 0 : 1;
		$wrong += $lock->release() ? 0 : 1;
		usleep(random_int(0, 2000));
	}
	tell($wrong);
	PHP;
$workers = [];
foreach ([0, 300, -300, 3600, -86400, 45, -45, 0] as $offset) {
	faketime($offset);
	$workers[] = [$offset, new Worker($code, [$quorum->dsns(), ACQUISITIONS])];
}
faketime(null);
foreach ($workers as [$offset, $worker]) {
	between($offset - 5, $offset + 5, $worker->hear(), "the clock of this worker is $offset s off");
}
foreach ($workers as [, $worker]) {
	$worker->tell('go');
}
foreach ($workers as [$offset, $worker]) {
	same(0, $worker->hear(), "$offset s off: every lease and every release is right");
	same(['output' => '', 'status' => 0], $worker->end(), "$offset s off: it ends well");
}
$order = array_map('intval', redis()->must('LRANGE', prefix() . 'order', 0, -1));
same(8 * ACQUISITIONS, count($order), 'every acquisition was written down');
same(count($order), count(array_unique($order)), 'all fences are distinct');
$sorted = $order;
sort($sorted);
same(true, $sorted === $order, 'they increase in the order of ownership');
// A mad clock does not use up the numbers: a minute ahead of the servers is the most.
between(1, (int) (microtime(true) * 1e6) + 61_000_000, max($order), 'the largest one is not further than a minute ahead of the time');
redis()->must('DEL', prefix() . 'order');
done();
?>
--EXPECT--
28 checks passed
