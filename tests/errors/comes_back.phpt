--TEST--
A server that starts during the wait is found
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$server = RedisServer::start();
$server->kill();
$waiter = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, 'test:', retryFor: 60.0))->lock('job', 30.0);
	tell('begins');
	tell($lock->acquire(60.0));
	tell($lock->release());
	PHP, $server->dsn());
same('begins', $waiter->hear(), 'the waiter begins, without a server');
$server->boot();
check($waiter->hear() > 0, 'it gets the lock once there is one');
same(true, $waiter->hear(), 'and gives it back');
same(['output' => '', 'status' => 0], $waiter->end(), 'it ends well');
done();
?>
--EXPECT--
4 checks passed
