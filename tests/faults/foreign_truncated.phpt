--TEST--
Answers that end in the middle, or never
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$client = $proxy->client(timeout: 0.5);
$lock = $client->lock('job', 600.0);
$lock->acquire();
// Cut after every byte of the answer: each time the repeat is answered, and right.
$token = $lock->token();
for ($keep = 0; $keep < 60; $keep++) {
	$proxy->onReply('renew', 'truncate', keep: $keep);
	$lock->renew() === true || check(false, "renew(), cut after byte $keep");
	$proxy->onReply('inspect', 'truncate', keep: $keep);
	$client->inspect('job')['token'] === $token || check(false, "inspect(), cut after byte $keep");
	$proxy->onReply('acquire', 'truncate', keep: $keep);
	$client->lock('job')->acquire() === null || check(false, "acquire(), cut after byte $keep");
	$proxy->clear();
}
check($lock->isHeld(), 'the lock is held');

// The log-in too.
$database = new RedisLock\Client($proxy->dsn('db=1'), prefix());
for ($keep = 0; $keep < 5; $keep++) {
	$proxy->hangUp();
	$proxy->onReply('SELECT', 'truncate', keep: $keep);
	throws(RedisLock\ConnectionException::class, fn () => $database->lock('free')->acquire(), "SELECT, cut after byte $keep");
	$proxy->clear();
	same(false, $database->inspect('free')['held'], "and then it works");
}
foreach (['+OK', "+NO\r\n+OK\r\n", ":1\r\n", "*1\r\n:1\r\n", "\$2\r\nOK\r\n", "\0\0\0\0\r\n"] as $bytes) {
	$proxy->hangUp();
	$proxy->onReply('SELECT', 'replace', bytes: $bytes);
	try {
		$held = $database->inspect('free')['held'];
		same(false, $held, 'a log-in that is not refused leads to a right answer');
	} catch (RedisLock\FailureException $thrown) {
		check(true, 'refused');
	}
	$proxy->clear();
}
$proxy->hangUp();
$proxy->onReply('SELECT', 'replace', bytes: "-ERR DB index is out of range\r\n");
server_error('ERR', fn () => $database->inspect('free'), 'a log-in that is refused');
same(false, $database->inspect('free')['held'], 'and then it works');

// An answer that never ends: the budget ends it.
$endless = [
	"*2\r\n:1\r\n", "*2\r\n:1\r\n\$16\r\n17", "\$100\r\nabc", '+', '*', ":1\r", "*1\n:1\n", "\$1073741824\r\nabc",
	"\$9223372036854775807\r\nabc",
];
foreach ($endless as $bytes) {
	$proxy->onReply('renew', 'replace', times: 0, bytes: $bytes);
	throws(RedisLock\UncertainException::class, fn () => $lock->renew(), 'no end: ' . json_encode($bytes));
	$proxy->clear();
	same(true, $lock->renew(), 'and then it works');
}
same(true, $lock->release(), 'given back');
done();
?>
--EXPECT--
39 checks passed
