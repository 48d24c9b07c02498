--TEST--
Wrong types are TypeErrors
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
declare(strict_types=1);
require __DIR__ . '/../include/shared.inc';

$client = client();
$lock = $client->lock('job', 30.0);
$calls = [
	'new RedisLock(): no name' => fn () => new RedisLock(),
	'new RedisLock(): name' => fn () => new RedisLock(1),
	'new RedisLock(): null' => fn () => new RedisLock(null),
	'new RedisLock(): ttl' => fn () => new RedisLock('a', '30'),
	'new RedisLock(): client' => fn () => new RedisLock('a', 30.0, new stdClass()),
	'new RedisLock(): autoRelease' => fn () => new RedisLock('a', 30.0, null, 1),
	'new Client(): servers' => fn () => new RedisLock\Client(1),
	'new Client(): servers as object' => fn () => new RedisLock\Client(new stdClass()),
	'new Client(): prefix' => fn () => new RedisLock\Client(null, 1),
	'new Client(): timeout' => fn () => new RedisLock\Client(null, null, '1'),
	'new Client(): persistent' => fn () => new RedisLock\Client(null, null, null, null, null, 'yes'),
	'lock(): name' => fn () => $client->lock([]),
	'acquire(): wait' => fn () => $lock->acquire('1'),
	'acquire(): token' => fn () => $lock->acquire(0.0, 1),
	'attach(): token' => fn () => $lock->attach(null),
	'renew(): ttl' => fn () => $lock->renew('1'),
	'synchronized(): callback' => fn () => $lock->synchronized('no such function'),
	'synchronized(): null' => fn () => $lock->synchronized(null),
	'synchronized(): wait' => fn () => $lock->synchronized(fn () => 1, '1'),
	'Client::release(): token' => fn () => $client->release('a', 1),
	'Client::renew(): ttl' => fn () => $client->renew('a', 'b', '1'),
	'Client::inspect(): name' => fn () => $client->inspect(1),
	'release(): too many' => fn () => $lock->release(1),
	'isHeld(): too many' => fn () => $lock->isHeld(1),
	'detach(): too many' => fn () => $lock->detach(1),
];
foreach ($calls as $what => $call) {
	throws(TypeError::class, $call, $what);
}
// Names of parameters are part of the interface.
$named = new RedisLock(name: 'a', ttl: 1.0, client: $client, autoRelease: false);
check($named->acquire(wait: 0.0, token: 't') > 0, 'acquire() by names of parameters');
same(true, $named->renew(ttl: 2.0), 'renew() by name');
same('x', $client->lock(name: 'b', ttl: 1.0, autoRelease: true)->synchronized(callback: fn () => 'x', wait: 0.0), 'synchronized() by name');
same(true, $client->renew(name: 'a', token: 't', ttl: 3.0), 'Client::renew() by name');
same(true, $client->release(name: 'a', token: 't'), 'Client::release() by name');
new RedisLock\Client(servers: shared_dsn(), prefix: 'p', connectTimeout: 1.0, timeout: 1.0, retryFor: 1.0, persistent: true);
done();
?>
--EXPECT--
30 checks passed
