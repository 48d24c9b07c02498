--TEST--
Which lists of servers make a quorum
--EXTENSIONS--
redislock
--FILE--
<?php
require __DIR__ . '/../include/check.inc';

$one = 'redis://127.0.0.1:1';
$two = 'redis://127.0.0.1:2';
$three = 'redis://127.0.0.1:3';
throws(ValueError::class, fn () => new RedisLock\Client([$one, $two]), 'two servers, as a list', 'three');
throws(ValueError::class, fn () => new RedisLock\Client("$one,$two"), 'two servers, as a string', 'three');
$twice = [
	[$one, $one, $two], [$one, $two, $one], ['redis://127.0.0.1', 'redis://127.0.0.1:6379', $one], ['redis://h:1', 'redis://H:1', $one], ["$one/", $one, $two],
	['redis://user:a@h:1', 'redis://user:b@h:1', $one], ['redis://h:1?timeout=1', 'redis://h:1', $one], ['unix:///tmp/a', 'unix:///tmp/a', $one],
	['unix:///tmp/a', 'unix:///tmp/%61', $one], ['redis://h:1/1', 'redis://h:1/2', $one], [$one, $two, $three, $one], ['redis://[::1]:1', 'redis://[::1]:1', $one],
];
foreach ($twice as $list) {
	throws(ValueError::class, fn () => new RedisLock\Client($list), 'one twice: ' . implode(', ', $list));
	throws(ValueError::class, fn () => new RedisLock\Client(implode(',', $list)), 'one twice: ' . implode(',', $list));
}
throws(ValueError::class, fn () => new RedisLock\Client([$one, 'nonsense', $three]), 'one that is not usable');
// One node is not a quorum.
throws(RedisLock\RedisLockError::class, fn () => (new RedisLock\Client($one))->initializeQuorum(), 'initializeQuorum() of a single node');
done();
?>
--EXPECT--
28 checks passed
