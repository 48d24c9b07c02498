--TEST--
A replica answers READONLY, never a stale truth
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$master = RedisServer::start(['repl-diskless-sync' => 'yes', 'repl-diskless-sync-delay' => '0'], tcp: true);
$replica = RedisServer::start(['replicaof' => ['127.0.0.1', (string) $master->port]]);
$lock = $master->client(prefix())->lock('held', 60.0);
$lock->acquire();
$token = $lock->token();
$there = $replica->connect();
wait_until(fn () => $there->must('GET', lock_key('held')) === $token, 'the replica has the lock');

$client = $replica->client(prefix());
$calls = fn (RedisLock\Client $client) => [
	'acquire() of a held lock' => fn () => $client->lock('held')->acquire(),
	'acquire() of a free lock' => fn () => $client->lock('free')->acquire(),
	'attach() with the token' => fn () => $client->lock('held')->attach($token),
	'attach() with another token' => fn () => $client->lock('held')->attach('x'),
	'attach() to a free lock' => fn () => $client->lock('free')->attach('x'),
	'renew() with the token' => fn () => $client->renew('held', $token, 90.0),
	'renew() with another token' => fn () => $client->renew('held', 'x', 90.0),
	'renew() of a free lock' => fn () => $client->renew('free', 'x', 90.0),
	'release() with the token' => fn () => $client->release('held', $token),
	'release() with another token' => fn () => $client->release('held', 'x'),
	'release() of a free lock' => fn () => $client->release('free', 'x'),
	'inspect() of a held lock' => fn () => $client->inspect('held'),
	'inspect() of a free lock' => fn () => $client->inspect('free'),
	'forceRelease() of a held lock' => fn () => $client->forceRelease('held'),
	'forceRelease() of a free lock' => fn () => $client->forceRelease('free'),
];
foreach ($calls($client) as $what => $call) {
	server_error('READONLY', $call, $what);
}
same($token, $master->connect()->must('GET', lock_key('held')), 'the master has what it had');

// A master that is demoted while the lock is held: the client is connected already.
$lock->renew();
$master->connect()->must('REPLICAOF', '127.0.0.1', '1');
server_error('READONLY', fn () => $lock->renew(), 'renew() after the demotion');
same(true, $lock->isHeld(), 'the lease stands');
foreach ($calls($master->client(prefix())) as $what => $call) {
	server_error('READONLY', $call, "$what after the demotion");
}
server_error('READONLY', fn () => $lock->release(), 'release() after the demotion');
done();
?>
--EXPECT--
66 checks passed
