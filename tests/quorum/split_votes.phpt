--TEST--
Quorum: clients that split the nodes between them back off apart
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/quorum.inc';

// Two clients, each of them nearer to one half of four nodes: whenever they begin together, each gets its half and
// nobody a majority.
$quorum = Quorum::start(4);
$ways = [];
foreach ([[2, 3], [0, 1]] as $client => $far) {
	foreach ($quorum->all() as $i) {
		$ways[$client][$i] = in_array($i, $far, true) ? FaultProxy::before($quorum->nodes[$i]) : null;
		$ways[$client][$i]?->onCommand('*', 'delay', times: 0, ms: 20);
	}
}
$code = <<<'PHP'
	[$dsns, $turns] = $argument;
	$client = new RedisLock\Client($dsns, prefix());
	$client->inspect('job');
	$lock = $client->lock('job', 30.0);
	$waits = [];
	for ($i = 0; $i < $turns; $i++) {
		ready();
		$begin = hrtime(true);
		$fence = $lock->acquire(60.0);
		$waits[] = (hrtime(true) - $begin) / 1e9;
		if (!($fence > 0) || !$lock->release()) {
			tell('failed');
			exit(1);
		}
	}
	tell($waits);
	PHP;
const TURNS = 20;
$workers = [];
foreach ($ways as $way) {
	$workers[] = new Worker($code, [array_map(fn (?FaultProxy $proxy, RedisServer $node) => $proxy?->dsn() ?? $node->dsn(), $way, $quorum->nodes), TURNS]);
}
for ($i = 0; $i < TURNS; $i++) {
	start_together($workers);
}
foreach ($workers as $number => $worker) {
	$waits = $worker->hear();
	same(TURNS, is_array($waits) ? count($waits) : $waits, "client $number: it gets the lock each time");
	sort($waits);
	between(0.0, 1.5, $waits[TURNS / 2], "client $number: typically soon");
	between(0.0, 20.0, $waits[TURNS - 1], "client $number: and always before long");
	same(['output' => '', 'status' => 0], $worker->end(), "client $number: it ends well");
}
$quorum->waitHeld(0, 'job');

// Many on five nodes, all at once, again and again.
$quorum = Quorum::start(5);
$workers = Worker::many(10, $code, [$quorum->dsns(), 10]);
for ($i = 0; $i < 10; $i++) {
	start_together($workers);
}
$all = [];
foreach ($workers as $number => $worker) {
	$waits = $worker->hear();
	same(10, is_array($waits) ? count($waits) : $waits, "ten clients, $number: it gets the lock each time");
	$all = [...$all, ...$waits];
	same(['output' => '', 'status' => 0], $worker->end(), "ten clients, $number: it ends well");
}
between(0.0, 30.0, max($all), 'ten clients: nobody waits for ever');
$quorum->waitHeld(0, 'job');

// Without a wait nobody waits, whoever else tries: the lock, or null.
$workers = Worker::many(6, <<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 30.0);
	$got = $null = 0;
	ready();
	for ($i = 0; $i < 200; $i++) {
		if ($lock->acquire() === null) {
			$null++;
		} else {
			$got += $lock->release() ? 1 : 0;
		}
	}
	tell([$got, $null]);
	PHP, $quorum->dsns());
start_together($workers);
$said = array_map(fn (Worker $worker) => $worker->hear(), $workers);
same(1200, array_sum(array_map(array_sum(...), $said)), 'without a wait: each try is an acquisition that is given back, or null');
check(array_sum(array_column($said, 0)) > 10, 'without a wait: some of them get it', said: $said);
array_map(fn (Worker $worker) => $worker->end(), $workers);
$quorum->waitHeld(0, 'job');
done();
?>
--EXPECT--
31 checks passed
