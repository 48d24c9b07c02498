--TEST--
Callers that wait, callers that do not, and other libraries that poll exclude each other
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$arguments = [$queue->server->dsn(), $queue->history, $queue->server->socket];
$prelude = waiting_prelude() . <<<'PHP'
	[[$dsn, $history, $socket], $who] = $argument;
	$times = 0;
	$inside = function (int $fence) use ($history, $who, &$times) {
		enter($history, $who, $fence);
		usleep(mt_rand(0, 1000));
		leave($history, $who);
		$times++;
	};
	// The test says when it is enough, but everybody goes on to ten turns at least.
	stream_set_blocking(STDIN, false);
	$enough = function () use (&$times) {
		static $said = false;
		$said = $said || fgets(STDIN) !== false;
		return $said && $times >= 10;
	};
	PHP;
$ours = <<<'PHP'
	$lock = (new RedisLock\Client($dsn, prefix()))->lock('job', 60.0);
	while (!$enough()) {
		$fence = $lock->acquire(WAIT);
		if ($fence !== null) {
			$inside($fence);
			$lock->release() || tell('release() was refused');
		} else {
			usleep(mt_rand(0, 500));
		}
	}
	tell($times);
	PHP;
$theirs = <<<'PHP'
	$redis = new RespConnection("unix://$socket");
	while (!$enough()) {
		if ($redis->must('SET', lock_key('job'), $who, 'NX', 'PX', 60000) === 'OK') {
			$inside(0);
			$redis->must('DEL', lock_key('job')) === 1 || tell('the lock was not there any more');
		}
		usleep(mt_rand(0, 500));
	}
	tell($times);
	PHP;
$workers = [];
foreach (['waiting' => str_replace('WAIT', '60.0', $ours), 'asking' => str_replace('WAIT', '0.0', $ours), 'foreign' => $theirs] as $kind => $code) {
	for ($i = 1; $i <= 3; $i++) {
		$workers["$kind$i"] = new Worker($prelude . $code, [$arguments, "$kind$i"]);
	}
}
usleep(2_000_000);
foreach ($workers as $worker) {
	$worker->tell('enough');
}
$counted = 0;
foreach ($workers as $who => $worker) {
	$times = $worker->hear();
	check(is_int($times) && $times >= 10, "$who had its turns", said: $times);
	$counted += (int) $times;
	same(['output' => '', 'status' => 0], $worker->end(), "$who ended well");
}
same($counted, count(check_history($queue->history)), 'every turn is in the history');
wait_until_free('job', $queue->redis);
done();
?>
--EXPECT--
21 checks passed
