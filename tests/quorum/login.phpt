--TEST--
Quorum: each node has its own user, password and database
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

$quorum = Quorum::start(5, tcp: true, ready: false);
$passwords = ['only a password', "user's p@ss/w:rd", "ra%w\0bytes", 'x', ''];
$set = [
	fn (RespConnection $node) => $node->must('ACL', 'SETUSER', 'default', 'on', 'resetpass', '>' . $passwords[0], '~*', '+@all'),
	fn (RespConnection $node) => $node->must('ACL', 'SETUSER', 'user:one', 'on', '>' . $passwords[1], '~*', '+@all'),
	fn (RespConnection $node) => $node->must('ACL', 'SETUSER', 'two', 'on', '>' . $passwords[2], '~*', '+@all'),
	fn (RespConnection $node) => $node->must('ACL', 'SETUSER', 'three', 'on', '>' . $passwords[3], '~*', '+@all'),
];
foreach ($set as $i => $make) {
	$make($quorum->look($i));
}
$url = rawurlencode(...);
$dsns = [
	$quorum->nodes[0]->tcpDsn(':' . $url($passwords[0])),
	$quorum->nodes[1]->tcpDsn($url('user:one') . ':' . $url($passwords[1]), '/3'),
	$quorum->nodes[2]->dsn('two:' . $url($passwords[2]), 'db=4'),
	$quorum->nodes[3]->tcpDsn('three:x', '?db=15'),
	$quorum->nodes[4]->tcpDsn('', '/1'),
];
$databases = [0, 3, 4, 15, 1];
$client = new RedisLock\Client($dsns, $quorum->prefix);
$client->initializeQuorum();
$lock = $client->lock('job', 30.0);
check($lock->acquire() > 0, 'acquire()');
wait_until(function () use ($quorum, $databases, $lock): bool {
	foreach ($databases as $i => $database) {
		$quorum->look($i)->must('SELECT', $database);
	}
	return $quorum->held('job', null, $lock->token()) === 5;
}, 'each node has it in its own database');
check(true, 'each node has it in its own database');
foreach ($quorum->all() as $i) {
	same(0, $quorum->look($i)->must('EXISTS', 'other') + ($databases[$i] === 0 ? 0 : (int) ($quorum->look($i)->must('SELECT', 0) && $quorum->look($i)->must('DBSIZE'))), "node $i: and nothing is in another one");
	$quorum->look($i)->must('SELECT', $databases[$i]);
}
same(true, $lock->renew(), 'renew()');
same(true, $lock->release(), 'release()');
$quorum->waitHeld(0, 'job');

// What is shown: where they are, and no password.
ob_start();
var_dump($client, $lock);
print_r($client);
$shown = ob_get_clean();
foreach (array_filter($passwords, fn (string $password) => strlen($password) > 1) as $password) {
	check(!str_contains($shown, $password) && !str_contains($shown, $url($password)), 'no password is shown', shown: $shown);
}
check(str_contains($shown, "127.0.0.1:{$quorum->nodes[3]->port}") && str_contains($shown, '***'), 'but where the nodes are', shown: $shown);

// Two of them refuse the log-in: the others do the work, and it is said which ones and why.
$dsns[0] = $quorum->nodes[0]->tcpDsn(':wrong');
$dsns[1] = $quorum->nodes[1]->tcpDsn('nobody:wrong', '/3');
$client = new RedisLock\Client($dsns, $quorum->prefix);
$lock = $client->lock('job', 30.0);
check($lock->acquire() > 0 && $lock->renew() && $lock->release(), 'two refuse the log-in: everything works');
$nodes = $client->inspect('job')['nodes'];
foreach ([0, 1] as $i) {
	check(str_contains((string) $nodes[$quorum->address($i)], 'WRONGPASS'), "inspect() says that node $i refuses", nodes: $nodes);
}
$dsns[2] = $quorum->nodes[2]->dsn('two:' . $url($passwords[2]), 'db=999');
$client = new RedisLock\Client($dsns, $quorum->prefix);
$addresses = array_map($quorum->address(...), [0, 1]);
$addresses[] = $quorum->nodes[2]->socket;
$thrown = quorum_error($addresses, fn () => $client->lock('job')->acquire(), 'three refuse', [RedisLock\ServerException::class]);
check(str_contains($thrown->errors[$quorum->nodes[2]->socket]->getMessage(), 'DB index'), 'a database that does not exist', thrown: $thrown->errors);
check(!str_contains($thrown . print_r($thrown, true), $passwords[1]), 'no password is shown');
done();
?>
--EXPECT--
21 checks passed
