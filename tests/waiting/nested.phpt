--TEST--
Two locks of one process, waited for one inside the other, also from a signal handler
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
$holders = [];
foreach (['a', 'b', 'c'] as $name) {
	$holders[$name] = $client->lock($name, 60.0);
	$holders[$name]->acquire();
}
$waiter = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, prefix());
	pcntl_async_signals(true);
	pcntl_signal(SIGUSR1, function () use ($client) {
		tell('in the handler');
		$lock = $client->lock('c', 60.0);
		tell($lock->acquire(60.0));
		tell($lock->release());
	});
	$result = $client->lock('a', 60.0)->synchronized(function (int $a) use ($client) {
		tell(['a' => $a]);
		return $client->lock('b', 60.0)->synchronized(function (int $b) use ($a) {
			tell(['b' => $b]);
			return [$a, $b];
		}, 60.0);
	}, 60.0);
	tell($result);
	hear();
	PHP, $queue->server->dsn());
$queue->waitForBlocked(1);
$holders['a']->release();
$a = $waiter->hear()['a'];
check($a > $holders['a']->fence(), 'it got a');
$queue->waitForBlocked(1);
same(null, $client->lock('a')->acquire(), 'it holds a while it waits for b');

$waiter->signal('USR1');
same('in the handler', $waiter->hear(), 'it is interrupted in its wait for b');
$queue->waitForBlocked(2);
$holders['b']->release();
$holders['c']->release();
check($waiter->hear() > $holders['c']->fence(), 'the handler got c');
same(true, $waiter->hear(), 'and gave it back');
$b = $waiter->hear()['b'];
check($b > $holders['b']->fence(), 'then it got b');
same([$a, $b], $waiter->hear(), 'and both came to their end');
same(['output' => '', 'status' => 0], $waiter->end(), 'it ended well');
foreach (['a', 'b', 'c'] as $name) {
	same(true, is_free($name, $queue->redis), "$name is free");
}
done();
?>
--EXPECT--
11 checks passed
