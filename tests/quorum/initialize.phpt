--TEST--
Quorum: initializeQuorum() puts a new quorum into service, and nothing else
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

foreach ([3, 5] as $count) {
	$on = "$count nodes";
	$quorum = Quorum::start($count, tcp: true, ready: false);
	$client = $quorum->client(connectTimeout: 0.5, timeout: 0.5);
	$all = array_map($quorum->address(...), $quorum->all());
	$states = fn (?array $which = null) => $quorum->each($which, fn (RespConnection $node) => $node->must('GET', $quorum->nodeKey()));

	// A new quorum refuses everything that grants.
	same(array_fill(0, $count, null), $states(), "$on: new servers know nothing");
	foreach (['acquire()' => fn () => $client->lock('job')->acquire(), 'synchronized()' => fn () => $client->lock('job')->synchronized(fn () => print("called\n")), 'inspect()' => fn () => $client->inspect('job')] as $name => $call) {
		throws(RedisLock\QuorumException::class, $call, "$on: a new quorum refuses $name", SITS_OUT . ' 180 s', 'for a new deployment call initializeQuorum()');
	}
	same(0, $quorum->held('job'), "$on: nothing was granted");
	$begin = hrtime(true);
	throws(RedisLock\QuorumException::class, fn () => $quorum->client(retryFor: 0.5)->lock('job')->acquire(30.0), "$on: and does not wait for the end of it", SITS_OUT);
	between(0.0, 8.0, (hrtime(true) - $begin) / 1e9, "$on: for longer than failures are retried");

	// One cannot be reached: no node is changed.
	$before = $states();
	$quorum->stop(1);
	$error = throws(RedisLock\QuorumException::class, fn () => $client->initializeQuorum(), "$on: one hangs", 'needs all nodes');
	check(isset($error->errors[$quorum->address(1)]), "$on: it is named", errors: array_keys($error->errors));
	$quorum->cont(1);
	usleep(50_000);
	same($before, $states(), "$on: no node was changed");
	$quorum->kill(1);
	$error = throws(RedisLock\QuorumException::class, fn () => $client->initializeQuorum(), "$on: one is down", 'needs all nodes');
	same([$quorum->address(1)], array_keys($error->errors), "$on: and only that one is named");
	$there = array_values(array_diff($quorum->all(), [1]));
	same(array_values(array_diff_key($before, [1 => 0])), array_values($states($there)), "$on: no node was changed");
	throws(RedisLock\QuorumException::class, fn () => $client->lock('job')->acquire(), "$on: so it still refuses", SITS_OUT);
	$quorum->boot(1);

	// All are there: also those that an early attempt has sent to sit out are ready at once.
	$client->initializeQuorum();
	foreach ($states() as $i => $state) {
		same($quorum->look($i)->info('server')['run_id'] . ' 0', $state, "$on: node $i is in service, as this server");
		same(-1, $quorum->look($i)->must('PTTL', $quorum->nodeKey()), "$on: node $i: for good");
	}
	$lock = $client->lock('job', 30.0);
	check($lock->acquire() > 0, "$on: it works");
	$quorum->waitHeld($count, 'job');

	// Never again: a quorum that is in service has leases that are running.
	$before = $states();
	$error = throws(RedisLock\QuorumException::class, fn () => $client->initializeQuorum(), "$on: in service already", 'in service already');
	sort($all);
	$named = array_keys($error->errors);
	sort($named);
	same($all, $named, "$on: each of them is named");
	check(!array_filter($error->errors, fn ($each) => !$each instanceof RedisLock\ServerException || !str_contains($each->getMessage(), 'is in service already')), "$on: with the reason");
	foreach ($quorum->all() as $i) {
		// Also if all but one are new.
		if ($i > 0) {
			$quorum->look($i)->must('FLUSHALL');
		}
	}
	$error = throws(RedisLock\QuorumException::class, fn () => $client->initializeQuorum(), "$on: one is in service", 'none of them in service');
	same([$quorum->address(0)], array_keys($error->errors), "$on: that one is named");
	same($before[0], $states()[0], "$on: it is as it was");
	foreach ($there = array_slice($quorum->all(), 1) as $i) {
		check(preg_match('/^[0-9a-f]{40} [1-9]\d+$/', (string) $states()[$i]) === 1, "$on: node $i sits out", state: $states()[$i]);
	}
	throws(RedisLock\QuorumException::class, fn () => $client->lock('other')->acquire(), "$on: so it refuses again", SITS_OUT);
	// A replaced node: the others are in service, so the new one has to wait, whatever the operator says.
	array_map($quorum->endSitOut(...), array_slice($quorum->all(), 1));
	$quorum->kill(2);
	$quorum->boot(2);
	throws(RedisLock\QuorumException::class, fn () => $client->initializeQuorum(), "$on: a new node among old ones", 'none of them in service');
	check($client->lock('other')->acquire() > 0, "$on: the others are a majority and go on");
	same(null, $quorum->tokens('other')[2], "$on: without the new one");
}

// Each prefix and each database is a quorum of its own.
$quorum = Quorum::start(3);
$other = new RedisLock\Client($quorum->dsns(), 'another ' . $quorum->prefix);
throws(RedisLock\QuorumException::class, fn () => $other->lock('job')->acquire(), 'another prefix is not in service', SITS_OUT);
$other->initializeQuorum();
check($other->lock('job')->acquire() > 0, 'it is put into service on its own');
$database = new RedisLock\Client(array_map(fn (RedisServer $node) => $node->dsn('', 'db=3'), $quorum->nodes), $quorum->prefix);
throws(RedisLock\QuorumException::class, fn () => $database->lock('job')->acquire(), 'another database is not in service', SITS_OUT);
$database->initializeQuorum();
check($database->lock('job')->acquire() > 0, 'it is put into service on its own');
check($quorum->client()->lock('job')->acquire() > 0, 'and none of them knows of the others');

throws(RedisLock\RedisLockError::class, fn () => $quorum->nodes[0]->client()->initializeQuorum(), 'one server is no quorum', 'not a quorum');
throws(ArgumentCountError::class, fn () => $quorum->client()->initializeQuorum(1), 'an argument too many');

// By the setting, and separated by commas.
$quorum = Quorum::start(3, ready: false);
ini_set('redislock.servers', implode(', ', $quorum->dsns()));
ini_set('redislock.prefix', $quorum->prefix);
(new RedisLock\Client())->initializeQuorum();
check((new RedisLock('job'))->acquire() > 0, 'redislock.servers can name a quorum');
done();
?>
--EXPECT--
80 checks passed
