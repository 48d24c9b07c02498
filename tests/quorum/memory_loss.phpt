--TEST--
Quorum: a node that lost its memory sits out, until no lease from before can be running
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

ini_set('redislock.quorum_max_ttl', '30');
const SIT_OUT = 30 + 120;

/** The seconds in "sits out for N s". */
$left = function (?string $message): ?int {
	return preg_match('/^(\S+): ' . SITS_OUT . ' (\d+) s; for a new deployment call initializeQuorum\(\)$/', (string) $message, $match) ? (int) $match[2] : null;
};
$sits_out = function (Quorum $quorum, RedisLock\Client $client, array $which, string $what) use ($left): void {
	$nodes = $client->inspect('job')['nodes'];
	foreach ($quorum->all() as $i) {
		if (in_array($i, $which, true)) {
			between(SIT_OUT - 30, SIT_OUT, $left($nodes[$quorum->address($i)]), "$what: inspect() says that node $i sits out, and how long");
		} else {
			same(null, $nodes[$quorum->address($i)], "$what: inspect() says that nothing is wrong with node $i");
		}
	}
};

$lose = [
	'restarted without persistence' => function (Quorum $quorum, int $i): void {
		$quorum->kill($i);
		$quorum->boot($i);
	},
	'FLUSHALL' => fn (Quorum $quorum, int $i) => $quorum->look($i)->must('FLUSHALL'),
	'FLUSHDB' => fn (Quorum $quorum, int $i) => $quorum->look($i)->must('FLUSHDB'),
];
foreach ($lose as $what => $lost) {
	$quorum = Quorum::start(5, tcp: true);
	$client = $quorum->client(timeout: 5.0);

	// The classic hole: a lock on three nodes, one of them forgets it, and the other two have never heard of it.
	$quorum->stop(3, 4);
	$holder = $client->lock('job', 30.0);
	$fence = $holder->acquire();
	$quorum->waitHeld(3, 'job', [0, 1, 2]);
	$lost($quorum, 2);
	$quorum->cont(3, 4);
	// What was under way to those two gets there now, so they forget it too: as if they had been cut off.
	$quorum->settle([3, 4]);
	$quorum->each([3, 4], fn (RespConnection $node) => $node->must('DEL', $quorum->prefix . 'job', side_key($quorum->prefix . 'job', 'fence')));
	same(['held', 'held', null, null, null], array_map(fn (?string $token) => $token === null ? null : 'held', $quorum->tokens('job')), "$what: two hold it, three do not");
	same(true, $holder->isHeld(), "$what: its lease is running");
	$other = $client->lock('job', 30.0);
	for ($i = 0; $i < 50; $i++) {
		try {
			$got = $other->acquire();
			check($got === null, "$what: nobody else gets it meanwhile", got: $got);
		} catch (RedisLock\QuorumException) {
			check(false, "$what: four nodes answered: it is contention");
		}
	}
	same(['held', 'held', null, null, null], array_map(fn (?string $token) => $token === null ? null : 'held', $quorum->tokens('job')), "$what: and the node that lost its memory granted nothing");
	$sits_out($quorum, $client, [2], $what);
	$quorum->kill(0, 1);
	$thrown = quorum_error(array_map($quorum->address(...), [0, 1, 2]), fn () => $other->acquire(), "$what: two that knew of it are gone");
	check(str_contains((string) $thrown?->getMessage(), '3 of 5'), "$what: the message says how many", thrown: $thrown);
	$error = $thrown?->errors[$quorum->address(2)] ?? null;
	check($error instanceof RedisLock\ServerException && $left($error->getMessage()) > SIT_OUT - 30, "$what: with the node that sits out among the errors", error: $error);

	// The time to sit out goes on, and does not begin anew.
	$until = explode(' ', $quorum->look(2)->must('GET', $quorum->nodeKey()))[1];
	usleep(20_000);
	throws(RedisLock\QuorumException::class, fn () => $client->inspect('job'), "$what: inspect() needs a majority, too");
	same($until, explode(' ', $quorum->look(2)->must('GET', $quorum->nodeKey()))[1], "$what: asking again does not prolong it");
	same(-1, $quorum->look(2)->must('PTTL', $quorum->nodeKey()), "$what: what it knows of itself does not expire");
}

// As the time is over, it takes part again, without anybody doing anything.
$quorum = Quorum::start(3);
$client = $quorum->client();
$quorum->look(1)->must('FLUSHALL');
$lock = $client->lock('job', 30.0);
check($lock->acquire() > 0, 'two of three are enough');
$quorum->waitHeld(2, 'job', [0, 2]);
same(null, $quorum->tokens('job')[1], 'the third one sits out');
$lock->release();
$ends_in = function (int $ms) use ($quorum): void {
	$time = $quorum->look(1)->must('TIME');
	$until = $time[0] * 1000 + intdiv((int) $time[1], 1000) + $ms;
	$quorum->look(1)->must('SET', $quorum->nodeKey(), $quorum->look(1)->info('server')['run_id'] . " $until");
};
$ends_in(60_000);
check($lock->acquire() > 0, 'before the end');
$quorum->settle();
same(null, $quorum->tokens('job')[1], 'it still sits out');
$lock->release();
$ends_in(0);
check($lock->acquire() > 0, 'after the end');
$quorum->waitHeld(3, 'job');
same(true, $lock->release(), 'all three hold it, and are given it back');
same(array_fill(0, 3, null), array_values($client->inspect('job')['nodes']), 'nothing is wrong with any of them');

// An old snapshot: the node comes back with locks and fences of yesterday, and says that it is in service.
$quorum = Quorum::start(3, options: ['dbfilename' => 'dump.rdb']);
$client = $quorum->client();
$lock = $client->lock('job', 30.0);
$lock->acquire();
$lock->release();
$quorum->waitHeld(0, 'job');
$quorum->look(0)->must('SAVE');
$old = (int) $quorum->fences('job')[0];
for ($i = 0; $i < 3; $i++) {
	$lock->acquire();
	usleep(20_000);
	$lock->release();
	usleep(20_000);
}
$last = $lock->fence();
$lock->acquire();
$quorum->waitHeld(3, 'job');
$quorum->kill(0);
$quorum->boot(0);
same(['0', (string) $old], [explode(' ', $quorum->look(0)->must('GET', $quorum->nodeKey()))[1], $quorum->fences('job')[0]], 'snapshot: it says that it is in service, and has an old fence');
check($old < $last, 'snapshot: which is older than the last one');
same(null, $quorum->tokens('job')[0], 'snapshot: it knows nothing of the lock that is held');
$quorum->kill(1);
$other = $client->lock('job', 30.0);
$thrown = quorum_error(array_map($quorum->address(...), [0, 1]), fn () => $other->acquire(), 'snapshot: it sits out all the same');
between(SIT_OUT - 30, SIT_OUT, $left($thrown->errors[$quorum->address(0)]->getMessage()), 'snapshot: for the whole time');
same(null, $quorum->tokens('job', [0])[0], 'snapshot: it grants nothing');
// When it takes part again, its fences are larger than all from before, whatever it stores and whatever clients propose.
$quorum->boot(1);
array_map($quorum->endSitOut(...), [0, 1]);
$client->inspect('job');   // asks all of them, so that it is known that they are back
same(false, $lock->release(), 'snapshot: a majority does not know the lock any more');
$quorum->kill(2);
$next = $client->lock('job', 30.0)->acquire();
check($next > $lock->fence(), 'snapshot: the next fence is larger', next: $next, last: $lock->fence());
done();
?>
--EXPECT--
215 checks passed
