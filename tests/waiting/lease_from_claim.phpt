--TEST--
The lease of a woken waiter counts from its own claim, not from the beginning of the wait
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$client = $queue->server->client(prefix());
$holder = $client->lock('job', 60.0);
$holder->acquire();
$waiter = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 8.0);
	$lock->acquire(60.0);
	tell($lock->remaining());
	hear();
	$lock->release();
	PHP, $queue->server->dsn());
$queue->waitForBlocked(1);
usleep(3_000_000);
same(true, $holder->release(), 'the holder gives it back after 3 s');
between(5.5, 7.999, $waiter->hear(), 'remaining()');
between(5001, 8000, $queue->redis->must('PTTL', lock_key('job')), 'the lease in Redis');
done();
?>
--EXPECT--
3 checks passed
