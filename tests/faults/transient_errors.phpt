--TEST--
Errors that pass are waited for within the wait and retryFor; others are told at once
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$proxy = FaultProxy::before($server);
$passing = [
	'LOADING' => '-LOADING Redis is loading the dataset in memory',
	'BUSY' => '-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
	'TRYAGAIN' => '-TRYAGAIN Multiple keys request during rehashing of slot',
	'CLUSTERDOWN' => '-CLUSTERDOWN The cluster is down',
	'MASTERDOWN' => "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
	'READONLY' => "-READONLY You can't write against a read only replica.",
	'UNBLOCKED' => '-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)',
	'ERR' => '-ERR max number of clients reached',
];
foreach ($passing as $code => $text) {
	// Within a wait: tried again, on another connection each time.
	$lock = $proxy->client()->lock($code, 60.0);
	$proxy->forget();
	$proxy->onCommand('acquire', 'answer', times: 4, bytes: "$text\r\n");
	check($lock->acquire(60.0) > 0, "$code: acquire() within a wait gets its lock");
	same(5, $proxy->count('acquire'), "$code: at the fifth try");
	same(5, count(array_unique(array_column($proxy->log(), 'link'))), "$code: each on a connection of its own");
	same(5, count(array_unique(array_map(fn (array $entry) => arguments_of($entry)[0], $proxy->log()))), "$code: each with a token of its own");
	same(true, $lock->release(), "$code: given back");

	// Without a wait: a connection that was there before may have led to another server; a new one has not.
	$proxy->forget();
	$proxy->onCommand('acquire', 'answer', times: 2, bytes: "$text\r\n");
	server_error($code, fn () => $lock->acquire(), "$code: acquire() without a wait");
	same(2, $proxy->count('acquire'), "$code: one connection from before and a new one");
	check($lock->acquire() > 0, "$code: then it is over");
	foreach (['renew' => fn () => $lock->renew(), 'inspect' => fn () => $proxy->client()->inspect($code), 'release' => fn () => $lock->release()] as $name => $call) {
		$proxy->client()->inspect('so that there is a connection');
		$proxy->forget();
		$proxy->onCommand($name, 'answer', times: 2, bytes: "$text\r\n");
		server_error($code, $call, "$code: $name()");
		same(2, $proxy->count($name), "$code: $name(): one connection from before and a new one");
		same(true, $lock->isHeld(), "$code: $name() was not done, the lease stands");
	}
	same(true, $lock->release(), "$code: then it can be given back");
}

// A long wait does not hide an outage that does not pass.
$lock = $proxy->client(retryFor: 0.5)->lock('outage', 60.0);
$proxy->onCommand('acquire', 'answer', times: 0, bytes: "$passing[LOADING]\r\n");
$proxy->forget();
$begin = hrtime(true);
server_error('LOADING', fn () => $lock->acquire(3600.0), 'an outage');
between(0.4, 20.0, (hrtime(true) - $begin) / 1e9, 'is told after retryFor');
between(3, 100, $proxy->count('acquire'), 'with pauses between the tries');
$proxy->clear();

// Anything else does not get better by waiting.
$others = [
	'OOM' => "-OOM command not allowed when used memory > 'maxmemory'.", 'WRONGTYPE' => '-WRONGTYPE Operation against a key',
	'NOPERM' => '-NOPERM User x has no permissions', 'NOAUTH' => '-NOAUTH Authentication required.', 'ERR' => '-ERR something else',
	'MISCONF' => '-MISCONF Redis is configured to save RDB snapshots', 'NOREPLICAS' => '-NOREPLICAS Not enough good replicas to write.',
	'MOVED' => '-MOVED 1 127.0.0.1:7000', 'ASK' => '-ASK 1 127.0.0.1:7000',
];
foreach ($others as $code => $text) {
	$proxy->forget();
	$proxy->onCommand('acquire', 'answer', bytes: "$text\r\n");
	server_error($code, fn () => $lock->acquire(60.0), "$code: acquire() within a wait");
	same(1, $proxy->count('acquire'), "$code: is told at once");
	same(false, $lock->release(), "$code: it was not run, there is nothing to give back");
	same(1, $proxy->count(), "$code: and nothing is sent for that");
}
done();
?>
--EXPECT--
225 checks passed
