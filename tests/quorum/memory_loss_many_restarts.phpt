--TEST--
Quorum: nodes that are restarted one after another without the pause stop the quorum, and never break a lock
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

// An operator restarts all nodes within a second. Each of them sits out; the lock is not granted twice.
$quorum = Quorum::start(5);
$client = $quorum->client();
$holder = $client->lock('job', 30.0);
$holder->acquire();
$quorum->waitHeld(5, 'job');
foreach ($quorum->all() as $i) {
	$quorum->kill($i);
	$quorum->boot($i);
	try {
		$got = $client->lock('job', 30.0)->acquire();
	} catch (RedisLock\QuorumException $thrown) {
		$got = 'refused';
	}
	check($got === null || $got === 'refused', "$i were restarted: nobody gets what is held", got: $got);
	same(true, $holder->isHeld(), "$i were restarted: the lease is running");
}
throws(RedisLock\QuorumException::class, fn () => $client->inspect('job'), 'all were restarted: inspect()', SITS_OUT);
$thrown = quorum_error(array_map($quorum->address(...), $quorum->all()), fn () => $client->lock('job', 30.0)->acquire(), 'all were restarted', [RedisLock\ServerException::class]);
same(['SITSOUT'], array_values(array_unique(array_column($thrown->errors, 'redisCode'))), 'all of them sit out');
// Nor does another name, which nobody holds: what they have forgotten they cannot tell.
throws(RedisLock\QuorumException::class, fn () => $client->lock('other', 30.0)->acquire(), 'another name', SITS_OUT);
same([null, null, null, null, null], $quorum->tokens('other'), 'nothing was granted');
throws(RedisLock\QuorumException::class, fn () => $client->lock('job')->attach($holder->token()), 'nor attach()', SITS_OUT);
// The holder is told the truth: no node has its lock.
same(false, $holder->renew(), 'the holder is told at its next renewal');
// The operator waits until the last lease is over, and says so.
$client->initializeQuorum();
check($client->lock('job', 30.0)->acquire() > $holder->fence(), 'after initializeQuorum() it works, and the fence is larger');
done();
?>
--EXPECT--
20 checks passed
