--TEST--
redislock over TLS: what the tool looks with takes the options of a DSN as the extension does; another name and an unknown authority are refused
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../tls/skipif.inc';
if (!extension_loaded('openssl')) {
	echo 'skip this PHP has no openssl';
}
?>
--FILE--
<?php
require __DIR__ . '/tool.inc';
require __DIR__ . '/../tls/tls.inc';

use RedisLock\Tool\Connection;
use RedisLock\Tool\Dsn;
use RedisLock\Tool\NoAnswer;

foreach (['Dsn', 'Connection', 'NoAnswer', 'RespError'] as $class) {
	require tool_classes() . "/$class.php";
}
$ca = new Authority();
$stranger = new Authority('a stranger');
$client = $ca->issue('DNS:client');
$server = tls_server($ca->issue('DNS:localhost'), $ca, ['tls-auth-clients' => 'yes', 'requirepass' => 'p@ss']);
$dsn = fn (string $host, array $options): string => "rediss://:p%40ss@$host:$server->port/1?" . http_build_query($options, '', '&', PHP_QUERY_RFC3986);
$ask = fn (string $host, array $options): mixed => (new Connection(Dsn::parse($dsn($host, $options)), 10.0, 10.0))->ask('PING');
$refused = function (string $host, array $options, string $what, string ...$words) use ($ask): void {
	throws(NoAnswer::class, fn () => $ask($host, $options), $what, ...$words);
};
$known = ['cafile' => $ca->file] + $client->options();

same('PONG', $ask('localhost', $known), 'the right name and authority, a client certificate, a log-in and a database');
$refused('127.0.0.1', $known, 'another host name', 'did not match');
same('PONG', $ask('127.0.0.1', $known + ['peer_name' => 'localhost']), 'peer_name');
$refused('localhost', ['cafile' => $stranger->file] + $client->options(), 'an authority that nobody knows', 'verify failed');
same('PONG', $ask('127.0.0.1', ['verify_peer' => '0'] + $client->options()), 'verify_peer=0');
$refused('localhost', ['cafile' => $ca->file], 'no client certificate');
$connection = new Connection(Dsn::parse($dsn('localhost', $known)), 10.0, 10.0);
$big = random_bytes(1_000_000);
same('OK', $connection->ask('SET', 'big', $big), 'much to send');
same([$big, $big], $connection->pipeline([['GET', 'big'], ['GET', 'big']]), 'much to read');

// The tool as a whole.
$environment = ['REDISLOCK_SERVERS' => $dsn('localhost', $known), 'REDISLOCK_PREFIX' => 'test:'];
same(0, tool(['run', 'job', 'true'], $environment)['status'], 'run');
same([], array_diff(array_column(doctor([], $environment)['all'], 'id'), ['no-persistence']), 'doctor');
same(0, tool(['ls'], $environment)['status'], 'ls');
$wrong = ['REDISLOCK_SERVERS' => $dsn('127.0.0.1', $known)];
same([69, 69], [tool(['ls'], $wrong)['status'], tool(['run', 'job', 'true'], $wrong)['status']], 'with another name neither looks nor locks');
found(doctor([], $wrong), 'unreachable', 'problem', 'doctor', 'did not match');
done();
--EXPECT--
15 checks passed
