--TEST--
Connections are shared by all clients with the same settings, and by no others; the idle ones are bounded
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start(['databases' => '200'], tcp: true);
$redis = $server->connect();
$redis->must('ACL', 'SETUSER', 'someone', 'on', '>secret', '~*', '&*', '+@all');
$count = fn () => substr_count($redis->must('CLIENT', 'LIST'), "\n") - 1;
$use = fn (string $dsn, ...$settings) => (new RedisLock\Client($dsn, prefix(), ...$settings))->lock("job")->synchronized(fn () => true);

for ($i = 0; $i < 10; $i++) {
	$use($server->dsn());
	$use($server->dsn(), timeout: 2.0 + $i);
	(new RedisLock\Client($server->dsn(), "prefix $i:"))->inspect('job');
}
same(1, $count(), 'timeouts and prefixes make no difference to a connection');
$use($server->dsn('', 'db=0'));
same(1, $count(), 'nor does the database that is used anyhow');
$expected = 1;
$different = [
	'another database' => fn () => $use($server->dsn('', 'db=1')),
	'a user' => fn () => $use($server->dsn('someone:secret')),
	'TCP' => fn () => $use($server->tcpDsn()),
	'another name of the host' => fn () => $use("redis://localhost:$server->port"),
	'not persistent' => fn () => $use($server->dsn(), persistent: false),
];
foreach ($different as $what => $call) {
	$call();
	$call();
	same(++$expected, $count(), "$what is a connection of its own");
}
// A connection of another user must not be used for this one, though everything else is the same.
throws(RedisLock\ServerException::class, fn () => $use($server->dsn('someone:wrong')), 'a wrong password is not served by the connection of the right one', 'WRONGPASS');

$before = open_descriptors();
for ($i = 0; $i < 190; $i++) {
	$use($server->dsn('', "db=$i"));
}
between(1, 64, $count(), 'a bounded number of idle connections');
between(-64, 64, open_descriptors() - $before, 'also here');
same(true, $use($server->dsn('', 'db=0')), 'one that was closed for it is opened again');

// In a call and idle: those of a nested use.
$lock = (new RedisLock\Client($server->dsn(), prefix()))->lock('outer');
same(true, $lock->synchronized(fn () => $use($server->dsn())), 'nested');
done();
?>
--EXPECT--
12 checks passed
