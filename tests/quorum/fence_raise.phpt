--TEST--
Quorum: nodes whose fences differ are raised to one that a majority stores
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

$set = fn (Quorum $quorum, string $name, array $fences) => array_map(
	fn (int $i, mixed $fence) => $quorum->look($i)->must('SET', side_key($quorum->prefix . $name, 'fence'), (string) $fence, 'PX', 600_000),
	array_keys($fences),
	$fences,
);

foreach ([3, 5] as $count) {
	$quorum = Quorum::start($count);
	$client = $quorum->client();
	$majority = intdiv($count, 2) + 1;
	$quorum->warmUp($client);
	// All ahead of the clock, and no two the same: what a majority grants can never be one number.
	$ahead = (int) (microtime(true) * 1e6) + 3_600_000_000;
	$set($quorum, 'scripts', array_map(fn (int $i) => $ahead + $i, $quorum->all()));
	check($client->lock('scripts', 10.0)->acquire() > $ahead, "$count nodes: once, so that each node knows the scripts");
	usleep(20_000);
	for ($round = 1; $round <= 20; $round++) {
		$name = "job $round";
		$fences = array_map(fn (int $i) => $ahead + 1000 * $i, $quorum->all());
		shuffle($fences);
		$set($quorum, $name, $fences);
		$lock = $client->lock($name, 30.0);
		$quorum->forgetCalls();
		$fence = $lock->acquire();
		check(in_array($fence - 1, $fences, true), "$count nodes, $round: one more than what a node stored", fence: $fence, stored: $fences);
		// Whichever majority had answered: it can have missed only the largest ones of the others.
		sort($fences);
		check($fence > $fences[$majority - 1], "$count nodes, $round: more than what a majority can have missed", fence: $fence, stored: $fences);
		$stored = array_count_values($quorum->fences($name))[(string) $fence] ?? 0;
		between($majority, $count, $stored, "$count nodes, $round: a majority stores exactly it when acquire() returns");
		// Each node gets its acquire, sooner or later; what is more is the raise.
		wait_until(fn () => array_sum(array_map(array_sum(...), $quorum->calls(['eval', 'evalsha']))) >= $count + $majority - 1, 'the raise was asked for');
		$lock->release();
		$quorum->waitHeld(0, $name);
		check($client->lock($name, 30.0)->acquire() > $fence, "$count nodes, $round: the next fence is larger");
	}

	// They grow together: a while later there is nothing to raise.
	$rounds = 0;
	wait_until(function () use ($quorum, $client, $count, &$rounds): bool {
		$lock = $client->lock('job 1', 30.0);
		$quorum->forgetCalls();
		$lock->acquire();
		usleep(10_000);
		$calls = array_sum(array_column($quorum->calls(), 'evalsha'));
		$lock->release();
		usleep(10_000);
		return $calls === $count && count(array_unique($quorum->fences('job 1'))) === 1 && ++$rounds === 3;
	}, 'no raise is needed any more');
	check(true, "$count nodes: no raise is needed any more");

	// What is stored behind the clock does not matter: the proposal is larger than all of it.
	$set($quorum, 'behind', array_map(fn (int $i) => 1000 + $i, $quorum->all()));
	$quorum->forgetCalls();
	$begin = (int) (microtime(true) * 1e6);
	between($begin, $begin + 60_000_000, $client->lock('behind', 30.0, false)->acquire(), "$count nodes: fences behind the clock");
	$quorum->waitHeld($count, 'behind');
	same($count, array_sum(array_map(fn (array $calls) => ($calls['evalsha'] ?? 0) + ($calls['eval'] ?? 0), $quorum->calls())), "$count nodes: need no raise");
}

// One node far ahead: everybody's fences are larger from then on, or that node is alone with its number.
$year = (int) (microtime(true) * 1e6) + 365 * 86400 * 1_000_000;
$set($quorum, 'ahead', [2 => $year]);
$last = 0;
for ($i = 0; $i < 20; $i++) {
	$lock = $client->lock('ahead', 30.0);
	$fence = $lock->acquire();
	check($fence > $last, "a node far ahead, $i: the order holds", fence: $fence, last: $last);
	$last = $fence;
	$lock->release();
	usleep(2000);
}

// One or two nodes with nonsense: they are no use, and nothing stays locked there.
$nonsense = ['abc', '-5', '0', '007', '', '1.5', '1e3', str_repeat('9', 20), (string) (2 ** 53 - 1), (string) (2 ** 53), "\0"];
foreach ($nonsense as $k => $text) {
	$name = "nonsense $k";
	$set($quorum, $name, [1 => $text, 3 => $text]);
	$lock = $client->lock($name, 30.0);
	check($lock->acquire() > 0, 'two nodes store ' . json_encode($text) . ': the others grant');
	same([null, null], array_values($quorum->tokens($name, [1, 3])), 'these two do not');
	same(true, $lock->release(), 'and it can be given back');
	$set($quorum, $name, [0 => $text]);
	$thrown = quorum_error(array_map($quorum->address(...), [0, 1, 3]), fn () => $lock->acquire(), 'three nodes store ' . json_encode($text), [RedisLock\ServerException::class]);
	same(['FENCE'], array_values(array_unique(array_column($thrown->errors ?? [], 'redisCode'))), 'with its code');
	$quorum->waitHeld(0, $name);
}
$quorum->look(4)->must('RPUSH', side_key($quorum->prefix . 'list', 'fence'), 'x');
check($client->lock('list', 30.0)->acquire() > 0, 'a key of another type on one node');
done();
?>
--EXPECT--
266 checks passed
