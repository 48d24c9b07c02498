--TEST--
tool/Dsn: understands a DSN as the extension does
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tool.inc';

use RedisLock\Tool\Dsn;

require tool_classes() . '/Dsn.php';

$dsns = [
	'redis://host' => ['host:6379', null, null, 0],
	'redis://host:7000/3' => ['host:7000', null, null, 3],
	'redis://host/' => ['host:6379', null, null, 0],
	'redis://:pass@host' => ['host:6379', null, 'pass', 0],
	'redis://user:pass@host?db=4' => ['host:6379', 'user', 'pass', 4],
	'redis://us%3Aer:p%40ss%2Fw%23%25%3F@host' => ['host:6379', 'us:er', 'p@ss/w#%?', 0],
	'redis://user:p@ss@host' => ['host:6379', 'user', 'p@ss', 0],
	'redis://[::1]:6380/2' => ['[::1]:6380', null, null, 2],
	'redis://[fe80::1]' => ['[fe80::1]:6379', null, null, 0],
	'unix:///run/redis.sock' => ['/run/redis.sock', null, null, 0],
	'unix://user:p%20w@/run/re%20dis.sock?db=2' => ['/run/re dis.sock', 'user', 'p w', 2],
	'redis://host?timeout=0.5&connect_timeout=2' => ['host:6379', null, null, 0],
];
foreach ($dsns as $dsn => $expected) {
	$parsed = Dsn::parse($dsn);
	same($expected, [$parsed->address(), $parsed->user, $parsed->password, $parsed->database], $dsn);
	// What the extension says of itself, with the password hidden.
	$shown = print_r(new RedisLock\Client($dsn, 'p:'), true);
	check(str_contains($shown, str_starts_with($dsn, 'unix') ? $expected[0] . '?db=' . $expected[3] : $expected[0] . '/' . $expected[3]), "$dsn: the same as the extension", shown: $shown);
}
same([0.5, 2.0, 7.0], [($parsed = Dsn::parse('redis://host?timeout=0.5&connect_timeout=2'))->seconds('timeout', 1), $parsed->seconds('connect_timeout', 1), Dsn::parse('redis://host')->seconds('timeout', 7)], 'timeouts');
check(!str_contains(print_r(Dsn::parse('redis://user:s3cret@host'), true), 's3cret'), 'print_r shows no password');
$tls = Dsn::parse('rediss://host:1?cafile=%2Fca.pem&cert=c&key=k&peer_name=other');
same(['ssl://host:1', true, true, 'other', '/ca.pem', 'c', 'k'], [$tls->stream(), ...array_map(fn (string $name) => $tls->context()['ssl'][$name], ['verify_peer', 'verify_peer_name', 'peer_name', 'cafile', 'local_cert', 'local_pk'])], 'TLS');
same([false, false], [($off = Dsn::parse('rediss://host?verify_peer=0')->context()['ssl'])['verify_peer'], $off['verify_peer_name']], 'verify_peer=0');
same('host', Dsn::parse('rediss://host')->context()['ssl']['peer_name'], 'the host name is verified');
done();
--EXPECT--
29 checks passed
