--TEST--
The wall clock of this machine is set by an hour: leases and waits do not notice
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif_slow.inc';
require __DIR__ . '/clock.inc';
if (faketime_library() === null) {
	echo 'skip no libfaketime';
} elseif (getenv('TEST_ASAN')) {
	echo 'skip libfaketime does not go with the sanitizers';
}
?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/clock.inc';

$server = RedisServer::start();
$redis = $server->connect();
$folder = sys_get_temp_dir() . '/redislock-' . bin2hex(random_bytes(4));
mkdir($folder, 0700);
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($folder)));
$set = fn (string $offset) => file_put_contents("$folder/time", "$offset\n");
$set('+0');
$before = getenv('LD_PRELOAD');
putenv('LD_PRELOAD=' . ($before === false ? '' : "$before:") . faketime_library());
putenv("FAKETIME_TIMESTAMP_FILE=$folder/time");
putenv('FAKETIME_NO_CACHE=1');
putenv('FAKETIME_DONT_FAKE_MONOTONIC=1');
$worker = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, prefix());
	$lock = $client->lock('job', 100.0);
	$short = $client->lock('short', 1.0);
	$seconds = function (callable $call): array {
		$begin = hrtime(true);
		$result = $call();
		return [$result, (hrtime(true) - $begin) / 1e9];
	};
	$answers = [
		'time' => fn () => microtime(true),
		'acquire' => fn () => $lock->acquire(),
		'state' => fn () => [$lock->isHeld(), $lock->remaining()],
		'renew' => fn () => $lock->renew(),
		'release' => fn () => $lock->release(),
		'short' => fn () => $short->acquire(60.0),
		'short state' => fn () => [$short->isHeld(), $short->remaining()],
		'wait' => fn () => $seconds(fn () => $client->lock('held')->acquire(1.0)),
	];
	while (($question = hear()) !== 'end') {
		tell($answers[$question]());
	}
	PHP, $server->dsn());
putenv($before === false ? 'LD_PRELOAD' : "LD_PRELOAD=$before");

$server->client(prefix())->lock('held', 600.0, false)->acquire();
between(-60, 60, $worker->ask('time') - microtime(true), 'at first its clock is right');
$last = 0;
foreach (['-3600' => -3600, '+7200' => 7200, '+0' => 0] as $offset => $seconds) {
	$set('+0');
	$fence = $worker->ask('acquire');
	check($fence > $last, "$offset: acquired, with a larger fence");
	$last = $fence;
	check($worker->ask('short') > 0, "$offset: a short lease");
	$set((string) $offset);
	between($seconds - 60, $seconds + 60, $worker->ask('time') - microtime(true), "$offset: its wall clock is set");
	[$held, $remaining] = $worker->ask('state');
	same(true, $held, "$offset: the lock is held");
	between(50.0, 99.0, $remaining, "$offset: and what remains is what it was");
	same(true, $worker->ask('renew'), "$offset: it can be renewed");
	between(80.0, 99.0, $worker->ask('state')[1], "$offset: for its whole lease");
	wait_until(fn () => $worker->ask('short state') === [false, 0.0], "$offset: the short lease ends", 10.0);
	[$result, $time] = $worker->ask('wait');
	same(null, $result, "$offset: a wait in vain");
	between(0.9, 6.0, $time, "$offset: ends on time");
	same(true, $worker->ask('release'), "$offset: given back");
}
$worker->tell('end');
same(['output' => '', 'status' => 0], $worker->end(), 'it ends well');
done();
?>
--EXPECT--
32 checks passed
