--TEST--
The release at destruction works although the server forgot the script
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$server = RedisServer::start();
$redis = $server->connect();
$lock = $server->client(prefix())->lock('job', 60.0);
$lock->acquire();
$lock->release();
$lock->acquire();
$redis->must('SCRIPT', 'FLUSH');
unset($lock);
wait_until_free('job', $redis);

$worker = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 60.0);
	$lock->acquire();
	$lock->release();
	$lock->acquire();
	tell('held');
	hear();
	PHP, $server->dsn());
same('held', $worker->hear(), 'another process has it');
$redis->must('SCRIPT', 'FLUSH');
same(0, $worker->end()['status'], 'it ends');
wait_until_free('job', $redis);
check(true, 'the locks were given back');
done();
?>
--EXPECT--
3 checks passed
