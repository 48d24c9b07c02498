--TEST--
On a quorum: errors, raises, orphans and the failures of single nodes are counted
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';
require __DIR__ . '/../quorum/quorum.inc';

$quorum = Quorum::start(3);
$client = $quorum->client();
$quorum->warmUp($client);
$lock = $client->lock('job', 20.0);
/** Without what depends on which of the nodes is the slowest. */
$sure = fn (array $added): array => array_diff_key($added, ['raises' => 1, 'orphans' => 1, 'reconnects' => 1]);

$trips = RedisLock::stats()['round_trip_seconds']['count'];
same(['acquired' => 1, 'attempts' => 1], $sure(added(fn () => $lock->acquire())), 'acquire()');
check(RedisLock::stats()['round_trip_seconds']['count'] - $trips >= 2, 'the answer of each node is a round trip');
same(['attempts' => 1, 'contended' => 1, 'refused' => 1], $sure(added(fn () => $client->lock('job', 20.0)->acquire())), 'acquire() of what another holds');
same(['renewed' => 1], $sure(added(fn () => $lock->renew())), 'renew()');
same(['released' => 1], $sure(added(fn () => $lock->release())), 'release()');
$quorum->waitHeld(0, 'job');
same(['acquired' => 1, 'attempts' => 1, 'released_automatically' => 1], $sure(added(function () use ($client) {
	$lock = $client->lock('job', 20.0);
	$lock->acquire();
})), 'by the end of the object');
$quorum->waitHeld(0, 'job');

// Fences of which no two are the same: whatever a majority answers, it has to be raised.
foreach ($quorum->all() as $i) {
	$quorum->look($i)->must('SET', side_key($quorum->prefix . 'raised', 'fence'), (string) ((int) (microtime(true) * 1e6) + 3_600_000_000 + 1000 * $i), 'PX', 600_000);
}
same(1, added(fn () => $client->lock('raised', 20.0, false)->acquire())['raises'] ?? 0, 'a second round for the fence');

// Two of three nodes have it: the grant of the third is of no use to anybody.
foreach ([0, 1] as $i) {
	$quorum->look($i)->must('SET', $quorum->prefix . 'taken', 'somebody', 'PX', 60_000);
}
wait_until(function () use ($client, $quorum) {
	$added = added(fn () => $client->lock('taken', 20.0)->acquire());
	$quorum->waitHeld(0, 'taken', [2]);
	return ($added['orphans'] ?? 0) === 1;
}, 'the third node was asked, too');
check(true, 'a grant that was of no use is given back');

// A node is gone: nobody's work fails, but the counter says it.
$quorum->kill(2);
$added = added(function () use ($lock, $client) {
	wait_until(function () use ($lock) {
		$before = RedisLock::stats()['node_failures'];
		$lock->acquire();
		$lock->release();
		return RedisLock::stats()['node_failures'] > $before;
	}, 'the failure of the node is noticed');
});
same([0, true], [array_sum(array_intersect_key($added, ['errors quorum' => 1, 'errors connection' => 1])), $added['node_failures'] >= 1], 'one of three nodes fails');

// The majority is gone.
$quorum->kill(1);
$added = added(failing(RedisLock\QuorumException::class, fn () => $lock->acquire()));
same([1, 1, 0], [$added['attempts'], $added['errors quorum'], $added['acquired'] ?? 0], 'no majority');
done();
?>
--EXPECT--
10 checks passed
