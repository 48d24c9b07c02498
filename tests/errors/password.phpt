--TEST--
A wrong or missing password is a ServerException with its code
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start(['requirepass' => 'right'], tcp: true);
$calls = fn (RedisLock\Client $client): array => [
	'acquire()' => fn () => $client->lock('job')->acquire(),
	'attach()' => fn () => $client->lock('job')->attach('token'),
	'synchronized()' => fn () => $client->lock('job')->synchronized(fn () => print("called\n")),
	'Client::release()' => fn () => $client->release('job', 'token'),
	'Client::renew()' => fn () => $client->renew('job', 'token', 1.0),
	'Client::inspect()' => fn () => $client->inspect('job'),
	'Client::forceRelease()' => fn () => $client->forceRelease('job'),
];
foreach ([$server->dsn(), $server->tcpDsn()] as $dsn) {
	foreach ($calls(new RedisLock\Client($dsn, 'test:')) as $what => $call) {
		server_error('NOAUTH', $call, "$what without a password");
	}
}
foreach ([$server->dsn(':wrong'), $server->tcpDsn(':wrong'), $server->dsn('default:wrong'), $server->tcpDsn('nobody:right')] as $dsn) {
	foreach ($calls(new RedisLock\Client($dsn, 'test:')) as $what => $call) {
		server_error('WRONGPASS', $call, "$what with a wrong password");
	}
}
foreach ([$server->dsn(':right'), $server->tcpDsn(':right'), $server->dsn('default:right'), $server->tcpDsn('default:right')] as $dsn) {
	$lock = (new RedisLock\Client($dsn, 'test:'))->lock('job');
	check($lock->acquire() > 0, 'with the right password it works');
	same(true, $lock->release(), 'and so does release()');
}
// A server that asks for none, and gets one.
$open = RedisServer::start();
throws(RedisLock\ServerException::class, fn () => (new RedisLock\Client($open->dsn('nobody:x'), 'test:'))->lock('job')->acquire(), 'a user that does not exist');
done();
?>
--EXPECT--
93 checks passed
