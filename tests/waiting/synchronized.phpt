--TEST--
synchronized() waits like acquire()
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
$holder = $client->lock('job', 60.0);
$fence = $holder->acquire();
$waiter = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 60.0);
	try {
		tell($lock->synchronized(fn () => 'called', 0.3));
	} catch (RedisLock\NotAcquiredException $exception) {
		tell(get_class($exception));
	}
	tell($lock->synchronized(fn (int $fence, RedisLock $inner) => [$fence, $inner === $lock, $lock->isHeld()], 60.0));
	tell($lock->isHeld());
	try {
		$lock->synchronized(fn () => throw new DomainException('of the callback'), 60.0);
	} catch (DomainException $exception) {
		tell($exception->getMessage());
	}
	hear();
	PHP, $queue->server->dsn());
same('RedisLock\NotAcquiredException', $waiter->hear(), 'held to the end of the wait');
$queue->waitForBlocked(1);
same(true, $holder->release(), 'the holder gives it back');
$got = $waiter->hear();
check($got[0] > $fence && $got[1] && $got[2], 'the callback gets the fence and the lock', got: $got);
same(false, $waiter->hear(), 'afterwards it is not held');
same('of the callback', $waiter->hear(), 'an exception of the callback comes through');
same(['output' => '', 'status' => 0], $waiter->end(), 'it ended well');
same(true, is_free('job', $queue->redis), 'and the lock is free');
done();
?>
--EXPECT--
7 checks passed
