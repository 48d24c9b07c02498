--TEST--
Whatever bytes a broken server or proxy sends: a clean exception, the connection is dropped, the next call works
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
$client = $proxy->client(timeout: 60.0);
$replies = [
	'a status' => "+OK\r\n",
	'an empty status' => "+\r\n",
	'a queued status' => "+QUEUED\r\n",
	'an integer' => ":1\r\n",
	'another integer' => ":7\r\n",
	'the smallest integer' => ":-9223372036854775808\r\n",
	'an integer that is too large' => ":99999999999999999999999999\r\n",
	'an integer that is none' => ":1x\r\n",
	'an empty integer' => ":\r\n",
	'a string' => "\$1\r\n1\r\n",
	'a string that is no fence' => "\$1\r\n0\r\n",
	'an empty string' => "\$0\r\n\r\n",
	'no string' => "\$-1\r\n",
	'no array' => "*-1\r\n",
	'an empty array' => "*0\r\n",
	'a negative length' => "*-2\r\n",
	'a negative length of a string' => "\$-2\r\nx\r\n",
	'a length that is none' => "*x\r\n",
	'a length of a string that is none' => "\$x\r\nx\r\n",
	'a string longer than it says' => "\$2\r\nabcdef\r\n",
	'verdict 2' => "*2\r\n:2\r\n:5\r\n",
	'verdict -1' => "*2\r\n:-1\r\n:5\r\n",
	'verdict nil' => "*2\r\n\$-1\r\n:5\r\n",
	'verdict text' => "*2\r\n\$4\r\ntrue\r\n:5\r\n",
	'verdict array' => "*2\r\n*1\r\n:1\r\n:5\r\n",
	'granted without a fence, and no lease' => "*1\r\n*0\r\n",
	'a long array' => "*9\r\n" . str_repeat(":1\r\n", 9),
	'a million elements' => "*1000000\r\n" . str_repeat(":1\r\n", 1000),
	'elements beyond any number' => "*99999999999999999999\r\n:1\r\n",
	'deeply nested arrays' => str_repeat("*1\r\n", 100_000) . ":1\r\n",
	'nested within what is allowed' => "*2\r\n:1\r\n*2\r\n:1\r\n:2\r\n",
	'a large string' => "\$1500000\r\n" . str_repeat('x', 1_500_000) . "\r\n",
	'a large string in an array' => "*2\r\n:1\r\n\$1500000\r\n" . str_repeat('x', 1_500_000) . "\r\n",
	'a line without an end' => '+' . str_repeat('x', 1_500_000),
	'digits without an end' => ':' . str_repeat('1', 1_500_000),
	'zeros' => str_repeat("\0", 100),
	'a type that does not exist' => "?1\r\n",
	'an empty line' => "\r\n",
	'only line ends' => str_repeat("\r\n", 1000),
	'all bytes' => implode('', array_map('chr', range(0, 255))) . "\r\n",
	'HTTP' => "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
	'a TLS alert' => "\x15\x03\x01\x00\x02\x02\x28",
	'SSH' => "SSH-2.0-OpenSSH_9.2p1\r\n",
	'RESP3 null' => "_\r\n",
	'RESP3 boolean' => "#t\r\n",
	'RESP3 double' => ",1.5\r\n",
	'RESP3 infinity' => ",inf\r\n",
	'RESP3 big number' => "(3492890328409238509324850943850943825024385\r\n",
	'RESP3 blob error' => "!21\r\nSYNTAX invalid syntax\r\n",
	'RESP3 verbatim string' => "=15\r\ntxt:Some string\r\n",
	'RESP3 map' => "%1\r\n+a\r\n:1\r\n",
	'RESP3 set' => "~2\r\n:1\r\n:5\r\n",
	'RESP3 attribute' => "|1\r\n+a\r\n:1\r\n*2\r\n:1\r\n:5\r\n",
	'RESP3 push' => ">2\r\n:1\r\n:5\r\n",
	'RESP3 streamed string' => "\$?\r\n;4\r\nHell\r\n;0\r\n",
	'RESP3 streamed array' => "*?\r\n:1\r\n.\r\n",
	'RESP3 null in an array' => "*2\r\n_\r\n_\r\n",
	'RESP3 double in an array' => "*2\r\n,1\r\n,5\r\n",
];
// Errors: the server, or something before it, has said no.
$errors = [
	'an empty error' => "-\r\n",
	'a bare code' => "-ERR\r\n",
	'a strange code' => "-\0\x01\x1b[2J\xff strange\r\n",
	'a code in small letters' => "-err something\r\n",
	'a long error' => '-ERR ' . str_repeat('x', 100_000) . "\r\n",
	'a format' => "-ERR %s%n%d%p\r\n",
	'a long code' => '-' . str_repeat('X', 5000) . " text\r\n",
];
$calls = [
	'acquire' => fn ($lock) => $client->lock('other', 600.0, false)->acquire(),
	'attach' => fn ($lock) => $client->lock('job', 600.0, false)->attach($lock->token()),
	'renew' => fn ($lock) => $lock->renew(),
	'inspect' => fn ($lock) => $client->inspect('job'),
	'forceRelease' => fn ($lock) => $client->forceRelease('third'),
	'release' => fn ($lock) => $lock->release(),
];
// Not foreign: what that call may be answered.
$proper = ['an integer' => 'release', 'a string' => 'acquire'];
$memory = function (): int {
	preg_match('/^VmRSS:\s+(\d+) kB/m', file_get_contents('/proc/self/status'), $found);
	return (int) $found[1];
};
$problems = [];
$problem = function (string $text, mixed ...$seen) use (&$problems) {
	$problems[] = $text . ($seen ? ': ' . show($seen[0]) : '');
};
$before = null;
foreach ($replies + $errors as $what => $bytes) {
	foreach ($calls as $name => $call) {
		if (($proper[$what] ?? null) === $name) {
			continue;
		}
		$lock = $client->lock('job', 600.0, false);
		$lock->acquire() > 0 || $problem("$what, $name: not acquired");
		$proxy->onReply($name, 'replace', bytes: $bytes);
		$proxy->forget();
		$thrown = null;
		try {
			$result = $call($lock);
			$problem("$what, $name: not refused", $result);
		} catch (RedisLock\ServerException $thrown) {
			preg_match('/[\x00-\x1f\x7f]/', $thrown->getMessage() . $thrown->redisCode) && $problem("$what, $name: unprintable", $thrown);
			strlen($thrown->getMessage()) < 1000 || $problem("$what, $name: a long message", strlen($thrown->getMessage()));
			isset($errors[$what]) || $thrown->redisCode === '' || $problem("$what, $name: a code without an error", $thrown->redisCode);
		} catch (Throwable $thrown) {
			$problem("$what, $name: another exception", $thrown);
		}
		$proxy->count($name) === 1 || $problem("$what, $name: sent again", $proxy->count($name));
		if ($name === 'release') {
			// It was executed, and the answer says nothing of it.
			isset($errors[$what]) || !$lock->isHeld() || $problem("$what, $name: it is relied on");
		} elseif ($name !== 'attach') {
			$lock->isHeld() || $problem("$what, $name: the lease does not stand");
		}
		// The connection was dropped, unless it was an error, whose end is clear.
		$inspection = $client->inspect('job');
		$inspection['held'] === ($name !== 'release') || $problem("$what, $name: the next call is wrong", $inspection);
		$links = array_unique(array_column($proxy->log(), 'link'));
		isset($errors[$what]) || count($links) > 1 || $problem("$what, $name: the connection is used again");
		if ($name === 'acquire') {
			// The object knows that it may have it, or that the server has refused.
			$redis->must('DEL', lock_key('other'));
		}
		$client->forceRelease('job');
	}
	// After the first few nothing may grow any more.
	$before ??= $memory();
}
same([], $problems, 'no problems');
// The sanitizers keep what was freed.
between(0, getenv('TEST_ASAN') ? 400_000 : 30_000, $memory() - $before, 'the memory of the process is bounded, in kilobytes');
between(0, 20, open_descriptors(), 'and so are its descriptors');
done();
?>
--EXPECT--
3 checks passed
