--TEST--
DSNs that cannot be used are a ValueError before anything is sent
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../include/check.inc';

$bad = [
	'', ' ', 'x', '127.0.0.1', '127.0.0.1:6379', 'localhost', 'redis', 'redis:', 'redis:/', 'redis:127.0.0.1', 'redis:/127.0.0.1', '://127.0.0.1', '//127.0.0.1',
	'http://127.0.0.1', 'tcp://127.0.0.1:6379', 'tls://127.0.0.1', 'redis+unix:///tmp/x', 'unix:/tmp/x', 'rediss+x://127.0.0.1',
	'redis://', 'redis://:6379', 'redis://user@', 'redis://user:pass@:6379', 'redis://?db=1', 'redis:///1',
	'redis://127.0.0.1:', 'redis://127.0.0.1:0', 'redis://127.0.0.1:65536', 'redis://127.0.0.1:-1', 'redis://127.0.0.1:+1', 'redis://127.0.0.1:x', 'redis://127.0.0.1:6379x',
	'redis://127.0.0.1: 6379', 'redis://127.0.0.1:99999999999999999999', 'redis://127.0.0.1:6379:6380', 'redis://127.0.0.1:0x18EB',
	'redis://127.0.0.1/x', 'redis://127.0.0.1/-1', 'redis://127.0.0.1/1/2', 'redis://127.0.0.1/1x', 'redis://127.0.0.1/99999999999999999999', 'redis://127.0.0.1/ 1',
	'redis://127.0.0.1/1?db=2', 'redis://127.0.0.1?db=', 'redis://127.0.0.1?db=x', 'redis://127.0.0.1?db=-1', 'redis://127.0.0.1?db=1&db=2',
	'redis://[::1', 'redis://::1', 'redis://::1:6379', 'redis://[]', 'redis://[]:6379', 'redis://[::1]x', 'redis://[::1]6379', 'redis://[127.0.0.1', 'redis://]::1[',
	'redis://127.0.0.1?unknown=1', 'redis://127.0.0.1?DB=1', 'redis://127.0.0.1?timeout', 'redis://127.0.0.1?timeout=', 'redis://127.0.0.1?timeout=x',
	'redis://127.0.0.1?timeout=0', 'redis://127.0.0.1?timeout=-1', 'redis://127.0.0.1?timeout=nan', 'redis://127.0.0.1?timeout=inf', 'redis://127.0.0.1?connect_timeout=0',
	'redis://127.0.0.1?connect_timeout=1e400', 'redis://127.0.0.1?timeout=1s', 'redis://127.0.0.1?=1', 'redis://127.0.0.1?&', 'redis://127.0.0.1?prefix=x',
	'redis://127.0.0.1#x', 'redis://127.0.0.1/1#x', 'redis://user name@127.0.0.1', "redis://127.0.0.1\0", "redis://127.0.0.1\n",
	'redis://%', 'redis://%zz', 'redis://%0', 'redis://user:%zz@127.0.0.1', 'redis://127.0.0.1%00', 'redis://user:%@127.0.0.1',
	'unix://', 'unix:///', 'unix://relative', 'unix://relative/path.sock', 'unix://host/path', 'unix:///tmp/x?unknown=1', 'unix:///tmp/x?db=x', 'unix:///tmp/x%00y',
	'unix:///' . str_repeat('x', 200), 'unix:///tmp/x?db=1&db=1',
	'redis://127.0.0.1,', ',redis://127.0.0.1', 'redis://127.0.0.1,,redis://127.0.0.2', ',', ',,',
	'redis://' . str_repeat('h', 100000), 'redis://127.0.0.1/' . str_repeat('1', 100000),
];
foreach ($bad as $dsn) {
	$shown = json_encode(substr($dsn, 0, 60), JSON_INVALID_UTF8_SUBSTITUTE);
	throws(ValueError::class, fn () => new RedisLock\Client($dsn), "$shown");
	throws(ValueError::class, fn () => new RedisLock\Client([$dsn]), "$shown in a list");
}
throws(ValueError::class, fn () => new RedisLock\Client([]), 'an empty list');
foreach ([[1], [null], [[]], [new stdClass()], ['redis://127.0.0.1:1', 2, 'redis://127.0.0.1:3'], [true]] as $list) {
	throws(Error::class, fn () => new RedisLock\Client($list), 'a list of something else: ' . json_encode($list), 'string');
}
// The message names what is wrong, for whoever has to mend it.
throws(ValueError::class, fn () => new RedisLock\Client('redis://127.0.0.1?tiemout=1'), 'an unknown option', 'tiemout');
throws(ValueError::class, fn () => new RedisLock\Client('http://127.0.0.1'), 'an unknown scheme', 'redis://', 'unix://');
throws(ValueError::class, fn () => new RedisLock\Client('redis://127.0.0.1:99999'), 'a port', 'port');
throws(ValueError::class, fn () => new RedisLock\Client('redis://127.0.0.1/x'), 'a database', 'database');
done();
?>
--EXPECT--
209 checks passed
