--TEST--
Quorum: nodes that are slower than the majority take part all the same
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/quorum.inc';

// The answers of two nodes always come when the decision was made without them: to the log-in, to the first command of
// a script they do not know, to everything. Nobody waits for them, and each of them counts all the same.
$quorum = Quorum::start(5);
$proxies = [3 => FaultProxy::before($quorum->nodes[3]), 4 => FaultProxy::before($quorum->nodes[4])];
$dsns = array_replace($quorum->dsns(), array_map(fn (FaultProxy $proxy) => $proxy->dsn(), $proxies));
foreach ($proxies as $proxy) {
	$proxy->onReply('*', 'delay', times: 0, ms: 30);
}
$quorum->each(null, fn (RespConnection $node) => $node->must('SCRIPT', 'FLUSH'));
$client = new RedisLock\Client($dsns, $quorum->prefix);

/** Acquires until all nodes hold the lock; false if that does not happen. */
$everywhere = function (string $what) use ($client, $quorum): void {
	for ($i = 1; $i <= 10; $i++) {
		$lock = $client->lock('job', 30.0);
		$lock->acquire() > 0 || check(false, "$what, $i: acquire()");
		$token = $lock->token();
		// What is under way to the slow ones gets there; which answers late teach the client what it needs.
		for ($end = hrtime(true) + 2e8; ($held = $quorum->held('job', null, $token)) < 5 && hrtime(true) < $end;) {
			usleep(1000);
		}
		$lock->renew() && $lock->release() || check(false, "$what, $i: renew() and release()");
		$quorum->waitHeld(0, 'job');
		if ($held === 5) {
			break;
		}
	}
	between(1, 10, $i, "$what: a few calls later all five take part");
};
$everywhere('new connections, and no script is known');
$everywhere('once more');
// And now each time.
for ($i = 0; $i < 5; $i++) {
	$lock = $client->lock('job', 30.0);
	$lock->acquire();
	$quorum->waitHeld(5, 'job', null, $lock->token());
	same(true, $lock->release(), "later, $i: all five hold it, and are given it back");
	$quorum->waitHeld(0, 'job');
}
$quorum->each([3, 4], fn (RespConnection $node) => $node->must('SCRIPT', 'FLUSH'));
$everywhere('the slow ones have lost the scripts');
array_map(fn (FaultProxy $proxy) => $proxy->hangUp(), $proxies);
$everywhere('the slow ones have closed the connections');

// That is what makes a lock survive: two of the fast ones go, and it can still be renewed.
$lock = $client->lock('job', 30.0);
$lock->acquire();
$quorum->waitHeld(5, 'job', null, $lock->token());
$quorum->kill(0, 1);
same(true, $lock->renew(), 'two fast nodes are killed: the lock can be renewed');
same(true, $lock->release(), 'and given back');
check($client->lock('job', 30.0)->acquire() > 0, 'and acquired again');
done();
?>
--EXPECT--
12 checks passed
