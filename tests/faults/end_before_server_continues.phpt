--TEST--
A process that ends while the server is stopped leaves nothing locked: names long and short, with a log-in, after SCRIPT FLUSH
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

const LOCKS = 100;
$server = RedisServer::start(tcp: true);
$admin = $server->connect();
$admin->must('ACL', 'SETUSER', 'worker', 'on', '>secret', '~*', '+@all');
$code = <<<'PHP'
	[$dsn, $length, $chosen] = $argument;
	$client = new RedisLock\Client($dsn, prefix(), timeout: 1.0);
	$locks = [];
	for ($i = 0; $i < 100; $i++) {
		$locks[$i] = $client->lock(str_pad("$i ", $length, 'x'), 600.0);
		$locks[$i]->acquire(token: $chosen ? "worker $i" : null) > 0 || throw new Exception('not acquired');
	}
	tell('held');
	hear();
	PHP;
$cases = [
	'unix socket' => [$server->dsn(), 8, false],
	'TCP' => [$server->tcpDsn(), 8, false],
	'unix socket, log-in and database' => [$server->dsn('worker:secret', 'db=3'), 8, false],
	'TCP, log-in and database' => [$server->tcpDsn('worker:secret', '/3'), 8, false],
	'unix socket, long names' => [$server->dsn(), 1024, false],
	'TCP, long names' => [$server->tcpDsn(), 1024, false],
	'chosen tokens' => [$server->dsn(), 8, true],
];
foreach ($cases as $what => $argument) {
	foreach (['scripts known' => false, 'SCRIPT FLUSH' => true] as $how => $flush) {
		$worker = new Worker($code, $argument);
		same('held', $worker->hear(), "$what, $how: it holds them");
		$admin->must('SELECT', str_contains($what, 'database') ? '3' : '0');
		$keys = $admin->must('KEYS', prefix() . '*');
		same(LOCKS, count($keys), "$what, $how: they are there");
		$flush && $admin->must('SCRIPT', 'FLUSH');
		$server->signal('STOP');
		$begin = hrtime(true);
		$worker->tell('end');
		same(['output' => '', 'status' => 0], $worker->end(), "$what, $how: it ends as it should");
		between(0.0, 5.0, (hrtime(true) - $begin) / 1e9, "$what, $how: in time");
		$server->signal('CONT');
		wait_until(fn () => $admin->must('EXISTS', ...$keys) === 0, "$what, $how: nothing is locked");
		wait_until(fn () => substr_count($admin->must('CLIENT', 'LIST'), "\n") === 1, "$what, $how: no connection is left");
	}
}

// A server that is there, and is given a thousand at once, is not flooded with connections.
$admin->must('SELECT', '0');
$before = (int) $admin->info('stats')['total_connections_received'];
$client = $server->client(prefix());
for ($i = 0, $locks = []; $i < 1000; $i++) {
	($locks[$i] = $client->lock("job $i", 600.0))->acquire();
}
$locks = null;
wait_until(fn () => $admin->must('KEYS', prefix() . 'job *') === [], 'a thousand are given back');
$opened = (int) $admin->info('stats')['total_connections_received'] - $before;
echo $opened <= 5 ? '' : "$opened connections\n";
done();
?>
--EXPECT--
56 checks passed
