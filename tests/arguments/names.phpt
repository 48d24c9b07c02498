--TEST--
Which names are accepted; odd ones work and never collide
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
$client = $server->client(prefix());

same(1024, RedisLock::MAX_NAME_LENGTH, 'MAX_NAME_LENGTH');
foreach (['', str_repeat('x', 1025), str_repeat("\0", 1025), str_repeat('x', 100000)] as $name) {
	throws(ValueError::class, fn () => new RedisLock($name), 'constructor: length ' . strlen($name), 'name');
	throws(ValueError::class, fn () => $client->lock($name), 'Client::lock(): length ' . strlen($name), 'name');
}
// It could be mistaken for a key beside another lock.
foreach (['{x}:redislock:fence', 'a}:redislock:', "}:redislock:\0"] as $name) {
	throws(ValueError::class, fn () => $client->lock($name), $name, 'name');
}
same([], $redis->must('KEYS', '*'), 'nothing was sent');

$names = [
	'a', 'A', ' a', 'a ', ' ', "\t", "\n", "a\n", "\na", "\r\n", "a\r\nSET b c\r\n", "\0", "\0\0", "a\0", "a\0b", "\0a", '0', '00', '-1', 'null',
	'{', '}', '{}', '}{', '{a}', '{a', 'a}', '{}a', 'a{}', '{a}b', '{b}a', '{{a}}', '{{a}', '{a}{b}', '{a}}', 'a{b', '{a}:', 'redislock:{a}',
	'%', '%s', '%n%n', '%00', '%7b', 'a%7d', '*', '?', '[a]', '\\', '\\0', '"', "'", '$1', '`', ':', '::', ':fence', 'a:redislock:fence', ':redislock:',
	'{a:redislock:fence', 'handoff:1', 'é', "e\u{301}", 'ü', '名前', '🔒', "\xff", "\xc3\x28", "\x80\x81", str_repeat('x', 1024), str_repeat("\0", 1024),
	str_repeat('é', 512), '{' . str_repeat('x', 1022) . '}', str_repeat('}', 1024), str_repeat('{', 1024),
];
same(count($names), count(array_unique($names)), 'the names are distinct');
$locks = [];
foreach ($names as $i => $name) {
	$locks[$i] = $client->lock($name, 60.0);
	same($name, $locks[$i]->name, "name $i is kept as it is");
	check($locks[$i]->acquire() > 0, "name $i: acquired while all before it are held");
}
$keys = $redis->must('KEYS', '*');
same(2 * count($names), count($keys), 'every name has a lock key and a fence key of its own');
foreach ($names as $i => $name) {
	same($locks[$i]->token(), $redis->must('GET', lock_key($name)), "name $i: its key is prefix and name, byte for byte");
	between(30000, 60000, $redis->must('PTTL', lock_key($name)), "name $i: it has a time to live");
	same((string) $locks[$i]->fence(), $redis->must('GET', fence_key($name)), "name $i: its fence key is where it should be");
	between(1, 604800000, $redis->must('PTTL', fence_key($name)), "name $i: it has a time to live, too");
	same(null, $client->lock($name)->acquire(), "name $i: another one does not get it");
	same($locks[$i]->token(), $client->inspect($name)['token'], "name $i: inspect() finds it");
	same(true, $locks[$i]->renew(), "name $i: renewed");
}
foreach ($names as $i => $name) {
	same(true, $locks[$i]->release(), "name $i: released, and still ours until now");
	same(0, $redis->must('EXISTS', lock_key($name)), "name $i: gone");
	same(2 * count($names) - $i - 1, $redis->must('DBSIZE'), "name $i: nothing else is gone");
}
done();
?>
--EXPECT--
903 checks passed
