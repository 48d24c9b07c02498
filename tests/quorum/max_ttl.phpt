--TEST--
Quorum: the longest lease on a quorum
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

// Nothing is sent for any of this, so no server is needed.
$dsns = ['redis://127.0.0.1:1', 'redis://127.0.0.1:2', 'redis://127.0.0.1:3'];
same('60', ini_get('redislock.quorum_max_ttl'), 'the default is 60 s');
$client = new RedisLock\Client($dsns);
foreach ([0.01, 30.0, 59.999, 60.0] as $ttl) {
	same($ttl, $client->lock('job', $ttl)->ttl, "$ttl s are allowed");
	same($ttl, (new RedisLock('job', $ttl, $client))->ttl, "$ttl s are allowed");
}
foreach ([60.001, 61.0, 3600.0, RedisLock::MAX_TTL] as $ttl) {
	throws(ValueError::class, fn () => $client->lock('job', $ttl), "$ttl s are too long for lock()", '60 seconds', 'redislock.quorum_max_ttl');
	throws(ValueError::class, fn () => new RedisLock('job', $ttl, $client), "$ttl s are too long for new RedisLock", 'Argument #2', '60 seconds', 'redislock.quorum_max_ttl');
	throws(ValueError::class, fn () => $client->lock('job')->renew($ttl), "$ttl s are too long for renew()", 'Argument #1', 'redislock.quorum_max_ttl');
	throws(ValueError::class, fn () => $client->renew('job', 'token', $ttl), "$ttl s are too long for Client::renew()", 'Argument #3', 'redislock.quorum_max_ttl');
	// One server has no such limit.
	same($ttl, (new RedisLock\Client($dsns[0]))->lock('job', $ttl)->ttl, "$ttl s are allowed on one server");
}
// The limits of every lock hold, too.
foreach ([0.0, 0.009, -1.0, NAN, INF] as $ttl) {
	throws(ValueError::class, fn () => $client->lock('job', $ttl), number($ttl) . ' s are no lease');
}

ini_set('redislock.quorum_max_ttl', '10');
same(60.0, $client->lock('job', 60.0)->ttl, 'a client keeps what it was made with');
$client = new RedisLock\Client($dsns);
same(10.0, $client->lock('job', 10.0)->ttl, '10 s are allowed');
throws(ValueError::class, fn () => $client->lock('job', 10.001), 'more is too long', '10 seconds');
throws(ValueError::class, fn () => $client->lock('job'), 'also the default lease', '10 seconds');
ini_set('redislock.quorum_max_ttl', '300.5');
same(300.5, (new RedisLock\Client($dsns))->lock('job', 300.5)->ttl, 'it can be longer than a minute');

foreach (['1', '1.5', '86400'] as $value) {
	check(ini_set('redislock.quorum_max_ttl', $value) !== false && ini_get('redislock.quorum_max_ttl') === $value, "the setting can be $value");
}
foreach (['0', '0.9', '-1', '86401', 'x', '', 'nan', 'inf', '1e400', '60s'] as $value) {
	same(false, @ini_set('redislock.quorum_max_ttl', $value), 'the setting cannot be ' . var_export($value, true));
}
same('86400', ini_get('redislock.quorum_max_ttl'), 'and then stays what it was');
$ran = run_php("echo ini_get('redislock.quorum_max_ttl');", ['redislock.quorum_max_ttl' => '45']);
same(['output' => '45', 'status' => 0], $ran, 'php.ini can say it');
done();
?>
--EXPECT--
54 checks passed
