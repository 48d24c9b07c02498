--TEST--
TLS: a quorum, with a node that is gone, one that is not trusted, and one that stalls
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/tls.inc';

$ca = new Authority();
$good = $ca->issue('IP:127.0.0.1');
$nodes = array_map(fn () => tls_server($good, $ca), range(1, 5));
$dsns = array_map(fn (RedisServer $node) => tls_dsn($node, ['cafile' => $ca->file, 'connect_timeout' => 20]), $nodes);
$settings = ['prefix' => 'test:', 'timeout' => 20.0];
$client = new RedisLock\Client($dsns, ...$settings);
$client->initializeQuorum();

$lock = $client->lock('job', 30.0);
$fence = $lock->acquire();
check($fence > 0, 'all nodes: acquire');
same([true, null, true], [$lock->renew(), $client->lock('job')->acquire(), $client->inspect('job')['held']], 'all nodes: renew, exclusion, inspect');
same(true, $lock->release(), 'all nodes: release');

// One is gone, and one has a certificate for somebody else from now on.
$nodes[0]->kill();
$wrong = $ca->issue('DNS:elsewhere.example');
$nodes[1]->connect()->must('CONFIG', 'SET', 'tls-cert-file', $wrong->cert, 'tls-key-file', $wrong->key);
$nodes[1]->connect()->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
for ($i = 0; $i < 3; $i++) {
	$last = $fence;
	$fence = $lock->acquire(20.0);
	check($fence > $last, 'three of five: acquire');
	same([true, true], [$lock->renew(), $lock->release()], 'three of five: renew, release');
}
// And one more: no majority, and who is the matter is told node by node.
$stalled = $nodes[2];
$stalled->signal('STOP');
$short = new RedisLock\Client(array_map(fn (string $dsn) => str_replace('connect_timeout=20', 'connect_timeout=1', $dsn), $dsns), prefix: 'test:', timeout: 1.0);
$thrown = throws(RedisLock\QuorumException::class, fn () => $short->lock('job')->acquire(), 'two of five');
$errors = array_map(fn (Throwable $error) => $error->getMessage(), $thrown instanceof RedisLock\QuorumException ? $thrown->errors : []);
check(str_contains($errors["127.0.0.1:{$nodes[1]->port}"] ?? '', 'not accepted'), 'the certificate is named as the reason', errors: $errors);
check(isset($errors["127.0.0.1:{$nodes[0]->port}"], $errors["127.0.0.1:$stalled->port"]), 'and so are the other two', errors: $errors);
$stalled->signal('CONT');
$last = $fence;
check($lock->acquire(30.0) > $last, 'it is back');
same(true, $lock->release(), 'release');
done();
?>
--EXPECT--
14 checks passed
