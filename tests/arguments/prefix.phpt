--TEST--
The prefix is any bytes, also none, and part of the key
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$redis = $server->connect();
foreach (['', 'app:', "\0", "a\nb", '{tag}:', 'é', str_repeat('p', 300)] as $prefix) {
	$shown = json_encode(substr($prefix, 0, 10));
	$lock = $server->client($prefix)->lock('job', 60.0);
	$fence = $lock->acquire();
	same($lock->token(), $redis->must('GET', $prefix . 'job'), "$shown: the lock key");
	same((string) $fence, $redis->must('GET', side_key($prefix . 'job', 'fence')), "$shown: the fence key");
	same(true, $lock->release(), "$shown: released");
}
$lock = (new RedisLock\Client($server->dsn()))->lock('job', 60.0);
$lock->acquire();
same($lock->token(), $redis->must('GET', 'redislock:job'), 'the default is that of the INI');
$lock->release();
ini_set('redislock.prefix', 'from ini:');
$lock = (new RedisLock\Client($server->dsn()))->lock('job', 60.0);
$lock->acquire();
same($lock->token(), $redis->must('GET', 'from ini:job'), 'as it is when the client is made');
$lock->release();

// What prefix and name make together counts.
throws(ValueError::class, fn () => $server->client('{a}:redis')->lock('lock:fence'), 'a key that could be one beside a lock', 'name');
// The same key by two ways is the same lock.
$one = $server->client('a:')->lock('b:c', 60.0);
$two = $server->client('a:b:')->lock('c', 60.0);
$one->acquire();
same(null, $two->acquire(), 'a: and b:c is a:b: and c');
$one->release();
done();
?>
--EXPECT--
25 checks passed
