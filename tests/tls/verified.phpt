--TEST--
TLS: only a server with the right certificate is spoken to
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$ca = new Authority();
$other = new Authority('another authority');
$folder = $ca->hashedFolder();
$secret = 'pass-word-of-the-test';
$trust = ['cafile' => $ca->file, 'connect_timeout' => 20];

$works = function (RedisServer $server, array $options, string $what, string $host = '127.0.0.1', ?string $credentials = null) use ($secret) {
	$credentials ??= ":$secret";
	$lock = (new RedisLock\Client(tls_dsn($server, $options, $credentials, $host), 'test:'))->lock('job');
	check($lock->acquire() > 0, $what);
	same(true, $lock->release(), "$what: release");
};
$refused = function (RedisServer $server, array $options, string $what, array $words, string $host = '127.0.0.1') use ($secret) {
	$client = new RedisLock\Client(tls_dsn($server, $options, ":$secret", $host), 'test:');
	$calls = [
		'acquire' => fn () => $client->lock('job')->acquire(),
		'release by name' => fn () => $client->release('job', 'token'),
		'inspect' => fn () => $client->inspect('job'),
	];
	foreach ($calls as $call => $do) {
		$thrown = throws(RedisLock\ConnectionException::class, $do, "$what: $call", "$host:$server->port", ...$words);
		check(!str_contains((string) $thrown, $secret), "$what: $call: the password is not told");
	}
	same(0, calls_of($server, 'auth'), "$what: nothing was sent, least of all the password");
	same(0, calls_of($server, 'evalsha'), "$what: no command was sent");
};
$start = fn (Certificate $certificate, array $options = []) => tls_server($certificate, $ca, ['requirepass' => $secret] + $options);

// The server tells who sent what on its unix socket; it wants no password there.
$open = fn (Certificate $certificate, array $options = []) => tls_server($certificate, $ca, $options);

$good = $ca->issue('IP:127.0.0.1,DNS:redis.example,DNS:*.wild.example');
$server = $start($good);
$works($server, $trust, 'cafile');
$works($server, ['capath' => $folder->path, 'connect_timeout' => 20], 'capath');
$works($server, ['cafile' => $other->file, 'capath' => $folder->path, 'connect_timeout' => 20], 'either of the two will do');
$works($server, $trust + ['peer_name' => 'redis.example'], 'peer_name');
$works($server, $trust + ['peer_name' => 'redis.example.'], 'a dot at its end says that it is complete');
$works($server, $trust + ['peer_name' => 'node.wild.example'], 'peer_name and a wildcard');
$works($server, $trust + ['peer_name' => '127.0.0.1'], 'peer_name can be an address', 'localhost');
$works($server, ['verify_peer' => 0, 'connect_timeout' => 20], 'without verification');
$works($server, ['verify_peer' => 0, 'connect_timeout' => 20, 'peer_name' => 'elsewhere.example'], 'without verification of the name');
$works($start($good, ['tls-protocols' => 'TLSv1.2']), $trust, 'TLS 1.2 alone');
$works($start($good, ['tls-protocols' => 'TLSv1.3']), $trust, 'TLS 1.3 alone');
unset($server);

foreach (['TLSv1.2', 'TLSv1.3'] as $version) {
	$server = $open($good, ['tls-protocols' => $version]);
	$refused($server, ['cafile' => $other->file, 'connect_timeout' => 20], "$version: signed by somebody else", ['certificate', 'not accepted']);
	$refused($server, ['connect_timeout' => 20], "$version: the system does not know that authority", ['certificate', 'not accepted']);
	$refused($server, $trust, "$version: a host name that it has not", ['certificate', 'not accepted', 'localhost'], 'localhost');
	$refused($server, $trust + ['peer_name' => 'elsewhere.example'], "$version: another peer_name", ['certificate', 'not accepted', 'elsewhere.example']);
	$refused($server, $trust + ['peer_name' => '127.0.0.2'], "$version: another address", ['certificate', 'not accepted', '127.0.0.2']);
	$refused($server, $trust + ['peer_name' => 'a.b.wild.example'], "$version: a wildcard is one label", ['not accepted', 'a.b.wild.example']);
	$refused($server, ['cafile' => "$folder->path/none.pem"], "$version: no such cafile", ['cafile', "$folder->path/none.pem", 'No such file']);
	$refused($server, ['cafile' => $good->key], "$version: a cafile without certificates", ['cafile', $good->key]);
	$refused($server, ['capath' => "$folder->path/none"], "$version: no such capath", ['capath', "$folder->path/none", 'No such file']);
	$server = $open($ca->issue('IP:127.0.0.1', expired: true), ['tls-protocols' => $version]);
	$refused($server, $trust, "$version: expired", ['not accepted', 'expired']);
	$self = $ca->selfSigned('IP:127.0.0.1');
	$server = $open($self, ['tls-protocols' => $version]);
	$refused($server, $trust, "$version: self-signed", ['not accepted', 'self-signed']);
	$works($server, ['cafile' => $self->cert, 'connect_timeout' => 20], "$version: self-signed, and trusted by name", credentials: '');
}

// One that is trusted by one client is not by another: they share no connection.
$server = $open($good);
$works($server, $trust, 'with the right authority', credentials: '');
throws(RedisLock\ConnectionException::class, fn () => (new RedisLock\Client(tls_dsn($server, ['cafile' => $other->file, 'connect_timeout' => 20])))->lock('job')->acquire(), 'with the wrong one, after that', 'not accepted');
throws(RedisLock\ConnectionException::class, fn () => (new RedisLock\Client(tls_dsn($server, $trust + ['peer_name' => 'x'])))->lock('job')->acquire(), 'with a wrong name, after that', 'not accepted');
if (function_exists('openssl_error_string')) {
	check(openssl_error_string() === false, 'no error is left for the application to find');
}
done();
?>
--EXPECT--
207 checks passed
