--TEST--
Quorum: one command per node for each operation, and one for looking who the server is
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

foreach ([false, true] as $tcp) {
	$quorum = Quorum::start(5, $tcp);
	$client = $quorum->client(connectTimeout: 60.0, timeout: 60.0);
	$quorum->warmUp($client);
	$on = $tcp ? 'TCP' : 'unix sockets';

	$lock = $client->lock('job', 60.0);
	$other = $client->lock('job', 60.0);
	$steps = [
		'acquire()' => fn () => $lock->acquire() > 0,
		'acquire() of a held lock' => fn () => $other->acquire() === null,
		'renew()' => fn () => $lock->renew(),
		'Client::renew()' => fn () => $client->renew('job', $lock->token(), 60.0),
		'inspect()' => fn () => $client->inspect('job')['held'],
		'release()' => fn () => $lock->release(),
		'release() by another token' => fn () => !$client->release('job', 'nobody'),
		'attach() to nothing' => fn () => $lock->attach('nobody') === null,
		'forceRelease()' => fn () => !$client->forceRelease('job'),
	];
	// Once before, so that each node knows the scripts.
	foreach ($steps as $step) {
		$step();
	}
	$quorum->settle();
	$client->forceRelease('job');
	$quorum->settle();
	foreach ($steps as $name => $step) {
		$quorum->forgetCalls();
		$before = $quorum->accepted();
		same(true, $step(), "$on: $name works");
		// Who answers after the decision is not waited for.
		$one = array_fill(0, 5, ['evalsha' => 1]);
		$quorum->settle();
		$calls = $quorum->calls();
		if ($name === 'acquire() of a held lock') {
			// Who has not answered when three have refused may still grant it, so a release goes behind.
			between(0, 2, array_sum(array_column($calls, 'eval')), "$on: $name: releases to those who have not answered");
			$calls = array_map(fn (array $each) => array_diff_key($each, ['eval' => 0]), $calls);
		}
		same($one, $calls, "$on: $name is one command for each node");
		same($before, $quorum->accepted(), "$on: $name opens no connection");
	}

	// Many cycles: nothing else, ever.
	$quorum->forgetCalls();
	for ($i = 0; $i < 500; $i++) {
		$lock->acquire() > 0 && $lock->release() || check(false, "$on: cycle $i");
	}
	$quorum->settle();
	$sum = 0;
	foreach ($quorum->calls(['eval', 'evalsha', 'info', 'auth', 'select', 'script|load', 'script|exists']) as $i => $calls) {
		same(['evalsha'], array_keys($calls), "$on: 500 cycles: node $i gets no other commands");
		// A node that does not get to run for a while on a busy machine is left out of some of them.
		between(1, 1000, $calls['evalsha'], "$on: 500 cycles are 1000 commands for node $i");
		$sum += $calls['evalsha'];
	}
	between(3000, 5000, $sum, "$on: and for a majority in any case");

	// The fence is the client's wall clock, and the same on all nodes.
	$begin = (int) (microtime(true) * 1e6);
	$fence = $lock->acquire();
	between($begin, $begin + 60_000_000, $fence, "$on: the fence is the wall clock in microseconds");
	$quorum->waitHeld(5, 'job', null, $lock->token());
	same(array_fill(0, 5, (string) $fence), $quorum->fences('job'), "$on: and every node stores it");
	$ttl = $quorum->each(null, fn (RespConnection $node) => $node->must('PTTL', side_key($quorum->prefix . 'job', 'fence')));
	same(5, count(array_filter($ttl, fn (int $ms) => $ms > 604_000_000 && $ms <= 604_800_000)), "$on: for the retention");
	$lock->release();
}

// A short retention is not short on a quorum.
ini_set('redislock.fence_retention', '1');
$quorum->client()->lock('retention', 20.0, false)->acquire();
$quorum->waitHeld(5, 'retention');
foreach ($quorum->all() as $i) {
	between(560_000, 600_000, $quorum->look($i)->must('PTTL', side_key($quorum->prefix . 'retention', 'fence')), "node $i: a fence is kept for 600 s at least");
}

// A new connection: log-in and run_id in one go, once.
$quorum->forgetCalls();
$worker = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, prefix());
	foreach (range(1, 20) as $i) {
		$lock = $client->lock('first', 60.0);
		$lock->acquire() > 0 && $lock->release() || tell("cycle $i failed");
		usleep(5000);
	}
	tell('end');
	hear();
	PHP, $quorum->dsns());
same('end', $worker->hear(), 'another process');
same(array_fill(0, 5, ['info' => 1]), $quorum->calls(['info']), 'asks each server once who it is');
$worker->tell('end');
$worker->end();
done();
?>
--EXPECT--
91 checks passed
