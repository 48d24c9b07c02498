--TEST--
TLS: a server that wants a certificate of its client
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$ca = new Authority();
$other = new Authority('another authority');
$ours = $ca->issue('DNS:worker');
$foreign = $other->issue('DNS:worker');
$expired = $ca->issue('DNS:worker', expired: true);
$trust = ['cafile' => $ca->file, 'connect_timeout' => 20];
$certificate = $ca->issue('IP:127.0.0.1');
foreach (['TLSv1.2', 'TLSv1.3', 'TLSv1.2 TLSv1.3'] as $versions) {
	$server = tls_server($certificate, $ca, ['tls-auth-clients' => 'yes', 'tls-protocols' => $versions]);
	$client = fn (array $options) => new RedisLock\Client(tls_dsn($server, $options + $trust), 'test:');

	$lock = $client($ours->options())->lock('job');
	check($lock->acquire() > 0, "$versions: with the right one");
	same([true, true], [$lock->renew(), $lock->release()], "$versions: and on");
	$before = $server->connect()->must('GET', '{test:job}:redislock:fence');

	$bad = [
		'without one' => [[], ['wants a certificate', 'cert and key']],
		'one of another authority' => [$foreign->options(), ['unknown ca']],
		'an expired one' => [$expired->options(), ['certificate expired']],
	];
	foreach ($bad as $what => [$options, $words]) {
		// Nothing was sent, so nothing is uncertain: also not with a client's own token, which is never sent twice.
		throws(RedisLock\ConnectionException::class, fn () => $client($options)->lock('job')->acquire(), "$versions: $what: acquire", ...$words);
		throws(RedisLock\ConnectionException::class, fn () => $client($options)->lock('job')->acquire(token: 'my own'), "$versions: $what: acquire with a token", ...$words);
		throws(RedisLock\ConnectionException::class, fn () => $client($options)->release('job', 'token'), "$versions: $what: release", ...$words);
		throws(RedisLock\ConnectionException::class, fn () => $client($options + ['db' => 3])->inspect('job'), "$versions: $what: with a database to select", ...$words);
	}
	same($before, $server->connect()->must('GET', '{test:job}:redislock:fence'), "$versions: nobody got the lock");
}

// What a user may not do is not what the log-in needs.
$server = tls_server($certificate, $ca, ['tls-auth-clients' => 'yes']);
$server->connect()->must('ACL', 'SETUSER', 'default', '-ping', '-select', '-info');
$lock = (new RedisLock\Client(tls_dsn($server, $ours->options() + $trust), 'test:'))->lock('job');
check($lock->acquire() > 0, 'without the right to PING');
same(true, $lock->release(), 'and on');

// A server that takes one and does not insist.
$server = tls_server($certificate, $ca, ['tls-auth-clients' => 'optional']);
$lock = (new RedisLock\Client(tls_dsn($server, $trust), 'test:', timeout: 20.0))->lock('a', 60.0);
check($lock->acquire() > 0, 'optional: without one');
$server->restart();
same(false, $lock->renew(), 'optional: a session that ends was not refused, so it is opened anew');
$server->kill();
$thrown = throws(RedisLock\ConnectionException::class, fn () => $lock->acquire(), 'optional: a server that is gone');
check(!str_contains((string) $thrown?->getMessage(), 'certificate'), 'optional: and has not refused a certificate', thrown: $thrown);
$server->boot();
check((new RedisLock\Client(tls_dsn($server, $trust + $ours->options()), 'test:'))->lock('b')->acquire() > 0, 'optional: with one');
throws(
	RedisLock\ConnectionException::class,
	fn () => (new RedisLock\Client(tls_dsn($server, $trust + $foreign->options()), 'test:'))->lock('c')->acquire(),
	'optional: with one of another authority',
);

// Files that cannot be used. Nobody is asked for a pass phrase, which would hang.
$protected = $ca->protect($ours, 'pass-phrase');
$files = [
	'no such certificate' => [['cert' => "$ours->cert.none", 'key' => $ours->key], ['cert "', "$ours->cert.none", 'No such file']],
	'no such key' => [['cert' => $ours->cert, 'key' => "$ours->key.none"], ['key "', "$ours->key.none", 'No such file']],
	'a key that is not that of the certificate' => [['cert' => $ours->cert, 'key' => $foreign->key], ['key "', $foreign->key, 'mismatch']],
	'a key where the certificate should be' => [['cert' => $ours->key, 'key' => $ours->key], ['cert "', $ours->key]],
	'a certificate where the key should be' => [['cert' => $ours->cert, 'key' => $ours->cert], ['key "', $ours->cert]],
	'a key with a pass phrase' => [$protected->options(), ['key "', $protected->key, 'pass phrase']],
	'a folder' => [['cert' => '/', 'key' => '/'], ['cert "/"']],
];
foreach ($files as $what => [$options, $words]) {
	throws(RedisLock\ConnectionException::class, fn () => (new RedisLock\Client(tls_dsn($server, $options + $trust)))->lock('job')->acquire(), $what, 'cannot be set up', ...$words);
}
foreach (['cert' => $ours->cert, 'key' => $ours->key] as $name => $file) {
	throws(ValueError::class, fn () => new RedisLock\Client(tls_dsn($server, [$name => $file])), "$name alone", 'cert and key belong together');
}
if (function_exists('openssl_error_string')) {
	check(openssl_error_string() === false, 'no error is left for the application to find');
}
done();
?>
--EXPECT--
63 checks passed
