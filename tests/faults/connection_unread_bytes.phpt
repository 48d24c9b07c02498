--TEST--
A connection on which something arrived that nobody asked for is not used any more
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$client = $proxy->client();
$lock = $client->lock('job', 600.0);
$fence = $lock->acquire();
$token = $lock->token();
$surprises = [
	'an answer that would fit' => "*2\r\n:1\r\n\$16\r\n1000000000000000\r\n",
	'a denial that would fit' => "*1\r\n:0\r\n",
	'a half of an answer' => '*2',
	'an error' => "-ERR you are not welcome\r\n",
	'a push' => ">2\r\n+message\r\n+hello\r\n",
	'garbage' => "\0\xff\xfe garbage",
	'an empty line' => "\r\n",
];
foreach ($surprises as $what => $bytes) {
	// While it is idle, and together with the answer before.
	foreach (['idle', 'behind'] as $when) {
		$calls = [
			'renew()' => [true, fn () => $lock->renew()],
			'acquire()' => [null, fn () => $client->lock('job')->acquire()],
			'inspect()' => [$token, fn () => $client->inspect('job')['token']],
			'Client::release()' => [false, fn () => $client->release('job', 'x')],
			'acquire() with a chosen token' => [null, fn () => $client->lock('job')->acquire(0.0, 'owner')],
		];
		foreach ($calls as $name => [$right, $call]) {
			if ($when === 'idle') {
				$proxy->say($bytes);
			} else {
				$proxy->onReply('inspect', 'append', bytes: $bytes);
				same($token, $client->inspect('job')['token'], "$what, $when, $name: the answer before is right");
			}
			same($right, $call(), "$what, $when, $name");
		}
	}
}
same([$token, $fence], [$redis->must('GET', lock_key('job')), (int) $redis->must('GET', fence_key('job'))], 'the lock is what it was');
same(true, $lock->release(), 'and ours');
done();
?>
--EXPECT--
107 checks passed
