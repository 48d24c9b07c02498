--TEST--
Quorum: every operation means what it means on one node
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

foreach ([[3, false], [5, true]] as [$count, $tcp]) {
	$quorum = Quorum::start($count, $tcp);
	$on = "$count nodes, " . ($tcp ? 'TCP' : 'unix sockets');
	$client = $quorum->client();

	// Nothing is there.
	$empty = ['held' => false, 'token' => null, 'remaining' => null, 'fence' => null, 'waiters' => false];
	$nodes = array_fill_keys(array_map($quorum->address(...), $quorum->all()), null);
	same($empty + ['nodes' => $nodes], $client->inspect('job'), "$on: inspect() of what was never heard of");
	same(false, $client->release('job', 'token'), "$on: release() by a token that holds nothing");
	same(false, $client->renew('job', 'token', 10.0), "$on: renew() by a token that holds nothing");
	same(null, $client->lock('job')->attach('token'), "$on: attach() to a token that holds nothing");
	same(false, $client->forceRelease('job'), "$on: forceRelease() of nothing");
	same(0, $quorum->held('job'), "$on: none of it has made a lock");

	// acquire() and contention.
	$lock = $client->lock('job', 20.0);
	same([false, 0.0, null, null], [$lock->isHeld(), $lock->remaining(), $lock->fence(), $lock->token()], "$on: before the first acquire()");
	same([false, false], [$lock->release(), $lock->renew()], "$on: nothing to give back and nothing to renew");
	$first = $lock->acquire();
	between(1, 2 ** 53 - 1, $first, "$on: acquire() returns the fence");
	same([true, $first], [$lock->isHeld(), $lock->fence()], "$on: the object knows");
	between(10.0, 20.0 * 0.99, $lock->remaining(), "$on: remaining() is the lease, less the drift");
	check(preg_match('/^[0-9a-f]{32}$/', $lock->token()) === 1, "$on: a random token");
	$quorum->waitHeld($count, 'job');
	same($count, $quorum->held('job', null, $lock->token()), "$on: every node holds it for this token");
	same($count, count(array_filter($quorum->leases('job'), fn (int $ms) => $ms > 10_000 && $ms <= 20_000)), "$on: with the lease");
	$before = [$quorum->tokens('job'), $quorum->fences('job')];
	$other = $client->lock('job');
	same(null, $other->acquire(), "$on: somebody else gets null");
	$waited = seconds(fn () => same(null, $other->acquire(0.3), "$on: also after a wait"));
	between(0.3, 5.0, $waited, "$on: which lasts to its end");
	throws(RedisLock\NotAcquiredException::class, fn () => $other->synchronized(fn () => throw new Exception('called')), "$on: synchronized() does not call", 'held by somebody else');
	throws(RedisLock\RedisLockError::class, fn () => $lock->acquire(), "$on: acquire() while held");
	throws(RedisLock\RedisLockError::class, fn () => $lock->attach('x'), "$on: attach() while held");
	same($before, [$quorum->tokens('job'), $quorum->fences('job')], "$on: none of it changed anything");

	// Tokens that are not the owner's.
	same(false, $client->release('job', str_repeat('0', 32)), "$on: another token cannot release");
	same(false, $client->renew('job', str_repeat('0', 32), 60.0), "$on: nor renew");
	same(null, $other->attach(str_repeat('0', 32)), "$on: nor attach");
	same($before, [$quorum->tokens('job'), $quorum->fences('job')], "$on: and changes nothing");

	// renew().
	same(true, $lock->renew(40.0), "$on: renew()");
	between(30.0, 40.0 * 0.99, $lock->remaining(), "$on: makes it last longer");
	same(true, $lock->renew(1.0), "$on: a shorter renewal");
	between(30.0, 40.0 * 0.99, $lock->remaining(), "$on: does not shorten");
	same(true, $client->renew('job', $lock->token(), 50.0), "$on: renew() by token");
	usleep(20_000);
	same($count, count(array_filter($quorum->leases('job'), fn (int $ms) => $ms > 40_000)), "$on: on every node");
	$seen = $client->inspect('job');
	between(40.0, 50.0, $seen['remaining'], "$on: inspect() says what is left");
	same(['held' => true, 'token' => $lock->token(), 'remaining' => $seen['remaining'], 'fence' => $first, 'waiters' => false, 'nodes' => $nodes], $seen, "$on: and the rest");

	// detach() and attach().
	$token = $lock->token();
	same($token, $lock->detach(), "$on: detach() returns the token");
	same([false, false], [$lock->isHeld(), $lock->release()], "$on: the object holds nothing any more");
	throws(RedisLock\RedisLockError::class, fn () => $lock->detach(), "$on: detach() while not held");
	same($count, $quorum->held('job', null, $token), "$on: the nodes do");
	$second = $other->attach($token);
	check($second > $first, "$on: attach() has a new, larger fence", first: $first, second: $second);
	same([true, $token, $second], [$other->isHeld(), $other->token(), $other->fence()], "$on: and is the owner");
	between(30.0, 50.0, $other->remaining(), "$on: with what was left of the lease");
	same(true, $other->renew(), "$on: it can renew");
	same(true, $other->release(), "$on: and release");
	same([false, null], [$other->isHeld(), $other->token()], "$on: then it holds nothing");
	$quorum->waitHeld(0, 'job');
	same(false, $other->release(), "$on: releasing again does no harm");
	same(null, $other->attach($token), "$on: the token is worth nothing any more");

	// A lock of another library, without a time to live, that is on every node.
	$quorum->each(null, fn (RespConnection $node) => $node->must('SET', $quorum->prefix . 'foreign', 'theirs'));
	same(INF, $client->inspect('foreign')['remaining'], "$on: a lock without a time to live");
	same(null, $client->lock('foreign')->acquire(), "$on: is held");
	$other = $client->lock('foreign', 30.0);
	check($other->attach('theirs') > 0, "$on: attach() to it");
	between(10.0, 30.0, $other->remaining(), "$on: gives it our lease");
	usleep(20_000);
	same($count, count(array_filter($quorum->leases('foreign'), fn (int $ms) => $ms > 0)), "$on: on every node");
	same(true, $client->release('foreign', 'theirs'), "$on: release() by token");
	$quorum->waitHeld(0, 'foreign');

	// A token of the caller's.
	$one = $client->lock('mine', 20.0);
	$two = $client->lock('mine', 20.0);
	$third = $one->acquire(0.0, 'worker 7');
	check($third > 0, "$on: acquire() with a token of the caller's", fence: $third);
	same('worker 7', $one->token(), "$on: is held by it");
	same(null, $two->acquire(0.0, 'worker 7'), "$on: the same token excludes itself");
	same(true, $client->renew('mine', 'worker 7', 30.0), "$on: is one owner to renew()");
	same(true, $one->release(), "$on: it is given back");
	$quorum->waitHeld(0, 'mine');
	check($two->acquire(0.0, 'worker 7') > $third, "$on: and can be taken again, with a larger fence");
	same(false, $one->release(), "$on: the first owner has nothing to give back");
	$quorum->waitHeld($count, 'mine');
	same(true, $two->release(), "$on: the second one has");
	$quorum->waitHeld(0, 'mine');
	foreach (['acquire' => fn () => $one->acquire(0.0, 'handoff:1'), 'attach' => fn () => $one->attach('handoff:1'), 'release' => fn () => $client->release('mine', 'handoff:1')] as $name => $call) {
		throws(ValueError::class, $call, "$on: $name() refuses a token that is none", 'handoff:');
	}

	// forceRelease().
	$lock = $client->lock('job', 20.0);
	$fence = $lock->acquire();
	same(true, $client->forceRelease('job'), "$on: forceRelease()");
	same(0, $quorum->held('job'), "$on: frees every node before it returns");
	same(false, $lock->renew(), "$on: the holder is told at the next renewal");
	same(false, $lock->isHeld(), "$on: and holds nothing");
	same([false, $fence], array_values(array_intersect_key($client->inspect('job'), ['held' => 1, 'fence' => 1])), "$on: the last fence is known");

	// synchronized().
	$result = $client->lock('job')->synchronized(function (int $fence, RedisLock $lock) use ($quorum, $count): array {
		$quorum->waitHeld($count, 'job');
		return [$fence, $lock->fence(), $lock->isHeld()];
	});
	same([true, $result[0], true], [$result[0] > $fence, $result[1], $result[2]], "$on: synchronized() calls, with the fence, under the lock");
	$quorum->waitHeld(0, 'job');
	$thrown = throws(DomainException::class, fn () => $client->lock('job')->synchronized(fn () => throw new DomainException('as planned')), "$on: an exception comes through", 'as planned');
	same(null, $thrown->getPrevious(), "$on: unchanged");
	$quorum->waitHeld(0, 'job');
	$thrown = throws(RedisLock\LostException::class, fn () => $client->lock('job')->synchronized(function () use ($client): string {
		$client->forceRelease('job');
		return 'the work';
	}), "$on: a lock that was lost meanwhile");
	same('the work', $thrown->result, "$on: has the result");
	$thrown = throws(RedisLock\LostException::class, fn () => $client->lock('job', 0.05)->synchronized(function (): string {
		usleep(100_000);
		return 'the work';
	}, 10.0), "$on: a lease that was over", 'over');
	same('the work', $thrown->result, "$on: has the result");

	// The end of a lease.
	$lock = $client->lock('job', 0.1);
	$fence = $lock->acquire(10.0);
	usleep(150_000);
	same([false, 0.0, null], [$lock->isHeld(), $lock->remaining(), $lock->token()], "$on: the lease ends by itself");
	same(false, $lock->renew(), "$on: and is not made anew");
	check($client->lock('job', 0.1)->acquire(10.0) > $fence, "$on: the next one has a larger fence");

	// A waiter is served when the holder gives the lock back.
	$holder = $client->lock('waited for', 60.0);
	$holder->acquire();
	$waiter = new Worker(<<<'PHP'
		$lock = (new RedisLock\Client($argument, prefix()))->lock('waited for', 60.0);
		ready();
		tell($lock->acquire(60.0) > 0 && $lock->release());
		PHP, $quorum->dsns());
	start_together([$waiter]);
	usleep(100_000);
	same(true, $holder->release(), "$on: the holder gives it back");
	same(true, $waiter->hear(), "$on: who waits gets it");
	same(['output' => '', 'status' => 0], $waiter->end(), "$on: and ends");

	// autoRelease.
	$lock = $client->lock('job', 60.0);
	$lock->acquire();
	$lock = null;
	$quorum->waitHeld(0, 'job');
	$lock = $client->lock('kept', 60.0, false);
	$lock->acquire();
	$lock = null;
	$quorum->waitHeld($count, 'kept');
	check(true, "$on: autoRelease gives back, and only if it is wanted");

	// Shown without what is secret.
	ob_start();
	var_dump($client->lock('job'));
	$shown = ob_get_clean();
	foreach ($quorum->all() as $i) {
		check(str_contains($shown, $tcp ? "127.0.0.1:{$quorum->nodes[$i]->port}" : $quorum->nodes[$i]->socket), "$on: var_dump() shows node $i", shown: $shown);
	}
	$quorum->each(null, fn (RespConnection $node) => $node->must('DEL', $quorum->prefix . 'kept'));
}
done();
?>
--EXPECT--
170 checks passed
