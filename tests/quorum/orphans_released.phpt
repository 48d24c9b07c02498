--TEST--
Quorum: a failed attempt leaves nothing behind, however late its nodes get to it
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/quorum.inc';

$quorum = Quorum::start(5);
$proxies = array_map(fn (RedisServer $node) => FaultProxy::before($node), $quorum->nodes);
$dsns = array_map(fn (FaultProxy $proxy) => $proxy->dsn(), $proxies);
$client = new RedisLock\Client($dsns, $quorum->prefix, connectTimeout: 5.0, timeout: 1.0);
$quorum->warmUp($client);
$hold = fn (array $which, string $where) => array_map(fn (int $i) => $proxies[$i]->$where('script', 'hold'), $which);
$let = fn (array $which) => array_map(fn (int $i) => $proxies[$i]->release(), $which);
$quiet = fn () => array_map(fn (FaultProxy $proxy) => $proxy->waitQuiet(), $proxies);

// Three nodes get the command so late that the attempt has failed; or they answer so late.
foreach (['onCommand', 'onReply'] as $where) {
	foreach ([[0, 1, 2], [2, 3, 4]] as $slow) {
		$what = "$where, nodes " . implode(', ', $slow);
		$lock = $client->lock('job', 60.0);
		$hold($slow, $where);
		quorum_error(array_map(fn (int $i) => $proxies[$i]->socket, $slow), fn () => $lock->acquire(), $what, [RedisLock\UncertainException::class]);
		same([false, null, false], [$lock->isHeld(), $lock->token(), $lock->release()], "$what: nothing is held");
		$quorum->waitHeld(0, 'job', array_values(array_diff($quorum->all(), $slow)));
		$let($slow);
		$quiet();
		$quorum->waitHeld(0, 'job');
		check($lock->acquire() > 0, "$what: nothing is left, the lock can be acquired at once");
		same(true, $lock->release(), "$what: and given back");
		$quorum->waitHeld(0, 'job');
		$quorum->waitUsed($client, 'all of them are used again');
		$quorum->waitHeld(0, 'used again');
	}
}

// Within one call: the first attempt fails, the second one succeeds. What is late of the first one touches nothing.
$lock = $client->lock('job', 60.0);
$hold([0, 1, 2], 'onCommand');
$fence = $lock->acquire(10.0);
check($fence > 0, 'the second attempt gets the lock', fence: $fence);
$token = $lock->token();
$let([0, 1, 2]);
$quiet();
usleep(50_000);
between(3, 5, $quorum->held('job', null, $token), 'what was late of the first one has changed nothing');
same(true, $lock->renew(), 'it can be renewed');
same(true, $lock->release(), 'and given back');
$quorum->waitHeld(0, 'job');

// A release that comes late does no harm to the next owner.
$quorum->waitUsed($client, 'all of them are used again');
$old = $client->lock('job', 3.0);
$old->acquire();
$quorum->waitHeld(5, 'job');
foreach ($proxies as $proxy) {
	$proxy->onCommand('release', 'hold');
}
throws(RedisLock\QuorumException::class, fn () => $old->release(), 'a release without an answer');
same(false, $old->isHeld(), 'nobody may rely on the lock any more');
$quorum->waitHeld(0, 'job');
$new = $client->lock('job', 60.0);
check($new->acquire(10.0) > $old->fence(), 'the next owner');
usleep(100_000);
$before = [$quorum->tokens('job'), $quorum->fences('job')];
$let($quorum->all());
$quiet();
same($before, [$quorum->tokens('job'), $quorum->fences('job')], 'the late release touches nothing of the next owner');
same(false, $old->release(), 'the old one is told that it is not his');
same(true, $new->release(), 'the new one gives it back');
$quorum->waitHeld(0, 'job');

// A token of the caller's, that is held by its owner on one node: the attempt must not free it.
foreach ([0, 1, 2] as $i) {
	$quorum->look($i)->must('SET', $quorum->prefix . 'job', 'somebody', 'PX', 60_000);
}
$quorum->look(3)->must('SET', $quorum->prefix . 'job', 'worker 7', 'PX', 60_000);
same(null, $client->lock('job', 60.0)->acquire(0.0, 'worker 7'), 'a token of the caller: held by somebody else');
$quiet();
// On a node that is slower than that the lease ends it: see the unit tests.
same(['somebody', 'somebody', 'somebody', 'worker 7'], array_slice($quorum->tokens('job'), 0, 4), 'it is given back only where it was granted');
check(in_array($quorum->tokens('job')[4], [null, 'worker 7'], true), 'and nowhere else');
$quorum->each(null, fn (RespConnection $node) => $node->must('DEL', $quorum->prefix . 'job'));

// An acquisition that comes when its lease is over is none.
foreach ([0, 1, 2] as $i) {
	$proxies[$i]->onReply('script', 'delay', ms: 100);
}
$lock = $client->lock('short', 0.05);
throws(RedisLock\LostException::class, fn () => $lock->acquire(), 'a lease that is over when a majority has granted it', 'over');
same([false, null], [$lock->isHeld(), $lock->token()], 'nothing is held');
$quiet();
$lock = $client->lock('short', 0.2);
foreach ([0, 1, 2] as $i) {
	$proxies[$i]->onReply('script', 'delay', ms: 250);
}
check($lock->acquire(5.0) > 0, 'with a wait it is tried again');
done();
?>
--EXPECT--
40 checks passed
