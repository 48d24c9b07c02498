--TEST--
A connection that died while it was idle is replaced, and nobody notices
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start([], tcp: true);
$redis = $server->connect();
foreach (['unix socket' => $server->dsn(), 'TCP' => $server->tcpDsn()] as $way => $dsn) {
	$client = new RedisLock\Client($dsn, 'test:');
	$lock = $client->lock('job', 60.0);
	$last = 0;
	$break = [
		'CLIENT KILL' => fn () => $redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'),
		'a restart' => function () use ($server, &$redis) {
			$server->restart();
			$redis = $server->connect();
		},
	];
	foreach ($break as $how => $do) {
		for ($i = 0; $i < 10; $i++) {
			$fence = $lock->acquire();
			check($fence > $last, "$way, $how: acquire()", last: $last, fence: $fence);
			$last = $fence;
			if ($how === 'CLIENT KILL') {
				$do();
				same(true, $lock->renew(), "$way, $how: renew()");
				$do();
				same(true, $client->inspect('job')['held'], "$way, $how: inspect()");
				$do();
				same(true, $lock->release(), "$way, $how: release()");
				$do();
			} else {
				same(true, $lock->release(), "$way, $how: release()");
				$do();
			}
		}
	}
}
done();
?>
--EXPECT--
120 checks passed
