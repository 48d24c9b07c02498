--TEST--
acquire() is one command, release() is one, and a new process needs no other
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$server = RedisServer::start(tcp: true);
$redis = $server->connect();
$redis->must('ACL', 'SETUSER', 'worker', 'on', '>secret', '~*', '+@all');

// What clients send, as the server sees it, without what scripts run and without the test itself.
$monitored = function (callable $run) use ($server, $redis): array {
	$monitor = $server->connect();
	$monitor->must('MONITOR');
	$run();
	$redis->must('ECHO', 'enough');
	$commands = [];
	while (!str_contains($line = $monitor->read(), '"ECHO" "enough"')) {
		preg_match('/^[\d.]+ \[\d+ (.*?)\] "(\w+)"/', $line, $match) || throw new RuntimeException("not understood: $line");
		if ($match[1] !== 'lua') {
			$commands[] = strtoupper($match[2]);
		}
	}
	$monitor->close();
	return $commands;
};

$lock = $server->client('test:')->lock('job', 60.0);
$lock->acquire();
$lock->renew();
$lock->release();
$cycles = 1000;
same(array_fill(0, $cycles * 2, 'EVALSHA'), $monitored(function () use ($lock, $cycles) {
	for ($i = 0; $i < $cycles; $i++) {
		$lock->acquire();
		$lock->release();
	}
}), 'a thousand times acquire() and release() are two thousand EVALSHA and nothing else');
same(['EVALSHA', 'EVALSHA', 'EVALSHA'], $monitored(function () use ($lock) {
	$lock->acquire();
	$lock->renew();
	$lock->release();
}), 'renew() is one, too');
same(['EVALSHA', 'EVALSHA'], $monitored(fn () => $lock->synchronized(fn () => 1)), 'synchronized() is two');

$redis->must('CONFIG', 'RESETSTAT');
for ($i = 0; $i < $cycles; $i++) {
	$lock->acquire();
	$lock->release();
}
$calls = $redis->calls();
same([$cycles * 2, 0], [$calls['evalsha'], $calls['eval'] ?? 0], 'counted by the server as well');

// A new process with a warm script cache.
$ways = [
	'unix socket' => [$server->dsn(), []],
	'TCP' => [$server->tcpDsn(), []],
	'unix socket with a database' => [$server->dsn('', 'db=3'), ['SELECT']],
	'TCP with a database' => [$server->tcpDsn('', '/3'), ['SELECT']],
	'database 0' => [$server->tcpDsn('', '/0'), []],
	'a user' => [$server->dsn('worker:secret'), ['AUTH']],
	'a user and a database' => [$server->tcpDsn('worker:secret', '/2'), ['AUTH', 'SELECT']],
];
foreach ($ways as $way => [$dsn, $before]) {
	same([...$before, 'EVALSHA', 'EVALSHA', 'EVALSHA', 'EVALSHA'], $monitored(function () use ($dsn, $way) {
		$ended = run_php('
			$client = new RedisLock\Client(' . var_export($dsn, true) . ', "test:");
			$one = $client->lock("one", 60.0); $two = $client->lock("two", 60.0);
			echo $one->acquire() > 0 ? "a" : "-", $two->acquire() > 0 ? "b" : "-", $one->release() ? "c" : "-", $two->release() ? "d" : "-";');
		same(['output' => 'abcd', 'status' => 0], $ended, "$way: a new process");
	}), "$way: what it sends");
}
done();
?>
--EXPECT--
18 checks passed
