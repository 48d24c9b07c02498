--TEST--
What comes instead of a wake-up is none: a clean exception, and nothing is taken
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$proxy = FaultProxy::before($queue->server);
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$fence = $holder->acquire();
$replies = [
	"+OK\r\n", ":1\r\n", "*0\r\n", "*1\r\n$4\r\nwake\r\n", "*2\r\n:1\r\n:2\r\n", "*2\r\n$1\r\na\r\n*0\r\n", "*2\r\n$1\r\na\r\n$-1\r\n",
	"*2\r\n$1\r\na\r\n$30\r\n" . str_repeat('9', 30) . "\r\n", "*3\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\n1\r\n", "nonsense\r\n", "-WRONGTYPE Operation against a key\r\n",
];
foreach ($replies as $bytes) {
	$proxy->onCommand('BLPOP', 'answer', bytes: $bytes);
	$lock = $proxy->client()->lock('job');
	throws(RedisLock\ServerException::class, fn () => $lock->acquire(30.0), json_encode($bytes));
	same(false, $lock->isHeld(), json_encode($bytes) . ': nothing is held');
}
same(true, $holder->release(), 'the holder had it all the time');
done();
?>
--EXPECT--
23 checks passed
