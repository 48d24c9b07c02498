--TEST--
What var_dump() of a lock and of a client shows
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

function dumped(object $object): array
{
	ob_start();
	var_dump($object);
	preg_match_all('/^  \["([^"]+)"\]=>\n  (.*)$/m', ob_get_clean(), $found);
	return array_combine($found[1], $found[2]);
}
$client = new RedisLock\Client(shared_dsn(), prefix());
$lock = $client->lock('job', 30.0);
$seen = dumped($lock);
same(['autoRelease', 'fence', 'held', 'name', 'remaining', 'servers', 'ttl'], (function () use ($seen) {
	$names = array_keys($seen);
	sort($names);
	return $names;
})(), 'the members');
same(['string(3) "job"', 'float(30)', 'bool(true)', 'bool(false)', 'float(0)', 'NULL'], [$seen['name'], $seen['ttl'], $seen['autoRelease'], $seen['held'], $seen['remaining'], $seen['fence']], 'not held');
$fence = $lock->acquire();
$seen = dumped($lock);
same(['bool(true)', "int($fence)"], [$seen['held'], $seen['fence']], 'held');
check(preg_match('/^float\(2\d\./', $seen['remaining']) === 1, 'what remains', seen: $seen['remaining']);
same(2, count((array) $lock), 'dumping added nothing to the object');
$lock->release();
$seen = dumped($lock);
same(['bool(false)', "int($fence)"], [$seen['held'], $seen['fence']], 'given back');
same('bool(false)', dumped($client->lock('job', 30.0, false))['autoRelease'], 'autoRelease');

ob_start();
var_dump(new RedisLock\Client('redis://user:hush@127.0.0.1:6399/3', 'shop:'));
$text = ob_get_clean();
check(str_contains($text, '127.0.0.1:6399') && str_contains($text, 'shop:') && !str_contains($text, 'hush'), 'a client', text: $text);
ob_start();
var_dump(new RedisLock('job', 30.0, new RedisLock\Client('redis://user:hush@127.0.0.1:6399/3')));
$text = ob_get_clean();
check(str_contains($text, '127.0.0.1:6399') && !str_contains($text, 'hush'), 'the servers of a lock, without the password', text: $text);
done();
?>
--EXPECT--
9 checks passed
