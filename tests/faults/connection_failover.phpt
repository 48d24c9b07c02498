--TEST--
Fail-over: a demoted master is noticed, the name is resolved anew, and the call is repeated
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

// The path of the proxy stands for the name: it leads to the present master. Both servers live on.
$a = RedisServer::start(['repl-diskless-sync' => 'yes', 'repl-diskless-sync-delay' => '0'], tcp: true);
$b = RedisServer::start(['repl-diskless-sync' => 'yes', 'repl-diskless-sync-delay' => '0'], tcp: true);
$proxy = FaultProxy::before($a);
$client = $proxy->client();
$inStep = function (RedisServer $master, RedisServer $replica): void {
	$value = bin2hex(random_bytes(8));
	$master->connect()->must('SET', prefix() . 'step', $value);
	wait_until(fn () => $replica->connect()->must('GET', prefix() . 'step') === $value, 'the replica is in step', 60.0);
};
$b->connect()->must('REPLICAOF', '127.0.0.1', (string) $a->port);
$inStep($a, $b);

[$master, $replica] = [$a, $b];
$fence = 0;
$calls = [
	'renew()' => [true, fn (RedisLock $lock) => $lock->renew()],
	'acquire() of a held lock' => [null, fn () => $client->lock('job')->acquire()],
	'release()' => [true, fn (RedisLock $lock) => $lock->release()],
];
foreach ($calls as $name => [$right, $call]) {
	$lock = $client->lock('job', 600.0);
	$next = $lock->acquire();
	check($next > $fence, "$name: acquired on the present master, with a larger fence");
	$fence = $next;
	$inStep($master, $replica);
	$replica->connect()->must('REPLICAOF', 'NO', 'ONE');
	$master->connect()->must('REPLICAOF', '127.0.0.1', (string) $replica->port);
	$proxy->leadTo($replica);
	[$master, $replica] = [$replica, $master];
	same($right, $call($lock), "$name: right, though the connection led to the old one");
	$client->forceRelease('job');
	$inStep($master, $replica);
}

// No master anywhere: an error, never an old truth. Then one is appointed, while a call waits.
$lock = $client->lock('job', 600.0);
$lock->acquire();
$inStep($master, $replica);
$master->connect()->must('REPLICAOF', '127.0.0.1', '1');
server_error('READONLY', fn () => $lock->renew(), 'renew()');
server_error('READONLY', fn () => $client->lock('job')->acquire(), 'acquire() of a held lock');
server_error('READONLY', fn () => $client->lock('free')->acquire(), 'acquire() of a free lock');
server_error('READONLY', fn () => $client->inspect('job'), 'inspect()');
same(true, $lock->isHeld(), 'the lease stands');
server_error('READONLY', fn () => $lock->release(), 'release()');
$waiter = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix(), retryFor: 600.0))->lock('free', 600.0);
	tell('waits');
	tell($lock->acquire(600.0) > 0);
	tell($lock->release());
	PHP, $proxy->dsn());
same('waits', $waiter->hear(), 'a call waits');
$proxy->forget();
$proxy->waitArrived('acquire', 3);
$proxy->leadTo($replica);
$replica->connect()->must('REPLICAOF', 'NO', 'ONE');
same(true, $waiter->hear(), 'it gets its lock from the new master');
same(true, $waiter->hear(), 'and gives it back there');
same(['output' => '', 'status' => 0], $waiter->end(), 'it ends well');
same(true, $lock->release(), 'what was held can be given back there');

// The other calls, with an answer as the old master gives it.
$token = ($lock = $client->lock('job', 600.0))->acquire() ? $lock->token() : null;
$calls = [
	'acquire() of a held lock with a chosen token' => [null, fn () => $client->lock('job')->acquire(0.0, 'owner')],
	'attach() of a stranger' => [null, fn () => $client->lock('job')->attach('x')],
	'inspect()' => [$token, fn () => $client->inspect('job')['token']],
	'Client::renew()' => [true, fn () => $client->renew('job', $token, 600.0)],
	'Client::renew() of a stranger' => [false, fn () => $client->renew('job', 'x', 600.0)],
	'Client::release() of a stranger' => [false, fn () => $client->release('job', 'x')],
	'Client::release()' => [true, fn () => $client->release('job', $token)],
	'forceRelease() of a free lock' => [false, fn () => $client->forceRelease('job')],
];
foreach ($calls as $name => [$right, $call]) {
	$proxy->onCommand('*', 'answer', bytes: "-READONLY You can't write against a read only replica.\r\n");
	$proxy->forget();
	same($right, $call(), "$name: right");
	[$first, $second] = array_column($proxy->log(), 'link');
	check($first !== $second, "$name: on a new connection");
}
done();
?>
--EXPECT--
38 checks passed
