--TEST--
Quorum: with a node gone, a lock that somebody holds is still null and never a failure
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

// What each call says 500 times in a row.
function all_of(callable $call): array
{
	$seen = [];
	for ($i = 0; $i < 500; $i++) {
		try {
			$said = var_export($call(), true);
		} catch (Throwable $thrown) {
			$said = get_class($thrown);
		}
		$seen[$said] = ($seen[$said] ?? 0) + 1;
	}
	return $seen;
}

$quorum = Quorum::start(5);
$client = $quorum->client();
$holder = $client->lock('job', 60.0);
$holder->acquire();
$quorum->waitHeld(5, 'job');
foreach ([4, 3] as $which) {
	$quorum->kill($which);
	$gone = 5 - $which;
	same(['NULL' => 500], all_of(fn () => $client->lock('job')->acquire()), "$gone of 5 killed: acquire() is null");
	same(['NULL' => 500], all_of(fn () => $client->lock('job')->acquire(0.0, 'worker 7')), "$gone of 5 killed: also with a token of the caller's");
	same([RedisLock\NotAcquiredException::class => 500], all_of(fn () => $client->lock('job')->synchronized(fn () => 1)), "$gone of 5 killed: synchronized()");
	same(['NULL' => 500], all_of(fn () => $client->lock('job')->attach('nobody')), "$gone of 5 killed: attach() to another token is null");
	same(['false' => 500], all_of(fn () => $client->release('job', 'nobody')), "$gone of 5 killed: release() by another token is false");
	same(['false' => 500], all_of(fn () => $client->renew('job', 'nobody', 1.0)), "$gone of 5 killed: renew() by another token is false");
	same(['true' => 500], all_of(fn () => $holder->renew()), "$gone of 5 killed: the holder renews");
	same(['true' => 500], all_of(fn () => $client->inspect('job')['held']), "$gone of 5 killed: inspect() sees it");
}
same([true, 3], [$holder->isHeld(), $quorum->held('job', [0, 1, 2], $holder->token())], 'the holder was not disturbed');
same(true, $holder->release(), 'and gives it back');

// Held by the token on two living nodes, unknown on the third one: nobody can say whether a majority has it.
$quorum->each([0, 1], fn (RespConnection $node) => $node->must('SET', $quorum->prefix . 'half', 'owner', 'PX', 60_000));
$calls = [
	'renew()' => fn () => $client->renew('half', 'owner', 60.0),
	'attach()' => fn () => $client->lock('half')->attach('owner'),
	'release()' => fn () => $client->release('half', 'owner'),
];
foreach ($calls as $name => $call) {
	throws(RedisLock\QuorumException::class, $call, "$name when two have it, one has not, and two cannot be asked");
}

// As many nodes as not: half of them is no majority, and that is certain.
$quorum = Quorum::start(4);
$client = $quorum->client();
$quorum->each([0, 1], fn (RespConnection $node) => $node->must('SET', $quorum->prefix . 'job', 'owner', 'PX', 60_000));
same(['false' => 500], all_of(fn () => $client->renew('job', 'owner', 60.0)), '2 of 4 hold it: renew() is false');
same(['NULL' => 500], all_of(fn () => $client->lock('job')->attach('owner')), '2 of 4 hold it: attach() is null');
same(['NULL' => 500], all_of(fn () => $client->lock('job')->acquire()), '2 of 4 hold it: acquire() is null');
same(false, $client->inspect('job')['held'], '2 of 4 hold it: nobody holds the lock');
same(false, $client->release('job', 'owner'), '2 of 4 hold it: release() is false');
check($client->lock('job')->acquire() > 0, 'and then it can be acquired');
done();
?>
--EXPECT--
27 checks passed
