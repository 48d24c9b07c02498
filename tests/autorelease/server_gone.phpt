--TEST--
A destructor never throws and never hangs when Redis is gone
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$server = RedisServer::start();
$client = new RedisLock\Client($server->dsn(), 'test:', 0.5, 0.5, 0.2);
$locks = [];
for ($i = 0; $i < 20; $i++) {
	$locks[$i] = $client->lock("job $i", 60.0);
	$locks[$i]->acquire();
}
$server->kill();
$begin = hrtime(true);
$locks = [];
between(0.0, 20.0, (hrtime(true) - $begin) / 1e9, 'twenty destructors without a server');
$server->boot();
check($client->lock('job 0')->acquire() > 0, 'the server is back, and everything works again');

$worker = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, 'test:', 0.5, 0.5, 0.2);
	$locks = [];
	for ($i = 0; $i < 100; $i++) {
		$locks[$i] = $client->lock("other $i", 60.0);
		$locks[$i]->acquire();
	}
	tell('held');
	hear();
	echo 'end';
	PHP, $server->dsn());
same('held', $worker->hear(), 'a process has a hundred locks');
$server->kill();
$begin = hrtime(true);
same(['output' => '', 'status' => 0], $worker->end(), 'it ends without a word');
between(0.0, 30.0, (hrtime(true) - $begin) / 1e9, 'and in time');
done();
?>
--EXPECT--
5 checks passed
