--TEST--
The clock of the server is set by an hour: waits end on time, fences grow, and a lease that ended early is safe
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif_slow.inc';
require __DIR__ . '/clock.inc';
if (c_compiler() === null) {
	echo 'skip no C compiler';
}
?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/clock.inc';

$clock = new ServerWithClock();
$server = $clock->server;
$redis = $server->connect();
$client = $server->client(prefix());
$waits = fn (int $count) => wait_until(fn () => preg_match_all('/ flags=\S*b\S* .* cmd=blpop /', $redis->must('CLIENT', 'LIST')) === $count, "$count wait");
$waiter = <<<'PHP'
	[$dsn, $wait] = $argument;
	$lock = (new RedisLock\Client($dsn, prefix()))->lock('job', 600.0);
	tell('waits');
	$begin = hrtime(true);
	$fence = $lock->acquire($wait);
	tell([$fence, (hrtime(true) - $begin) / 1e9]);
	hear();
	tell($lock->release());
	PHP;

// Back by an hour, while somebody holds the lock and somebody waits.
$lock = $client->lock('job', 600.0);
$first = $lock->acquire();
$inVain = new Worker($waiter, [$server->dsn(), 3.0]);
$served = new Worker($waiter, [$server->dsn(), 600.0]);
same(['waits', 'waits'], [$inVain->hear(), $served->hear()], 'two wait');
$waits(2);
$clock->set(-3600.0);
between(-3660, -3540, $clock->time() - microtime(true), 'the clock of the server is an hour behind');
[$fence, $seconds] = $inVain->hear();
same(null, $fence, 'back: a wait in vain');
between(2.9, 8.0, $seconds, 'back: ends on time');
same(null, $client->lock('job')->acquire(1.0), 'back: a wait that begins now is in vain too');
same([true, true], [$lock->isHeld(), $lock->renew()], 'back: the holder is undisturbed');
same(true, $lock->release(), 'back: and gives it back');
[$second] = $served->hear();
check($second > $first, 'back: who waited is served, with a larger fence');
same(true, $served->ask('release'), 'back: and gives it back');
for ($last = $second, $i = 0; $i < 5; $i++) {
	$next = $client->lock('job')->synchronized(fn (int $fence) => $fence);
	check($next > $last, 'back: fences grow all the same');
	$last = $next;
}
// A lease that begins now ends on time by this clock.
$short = $client->lock('short', 0.5);
$short->acquire();
check($client->lock('short')->acquire(60.0) > 0, 'back: a lease that begins now ends');

// And forward again, to an hour ahead.
$lock = $client->lock('job', 600.0);
$stale = $lock->acquire();
$waiting = new Worker($waiter, [$server->dsn(), 600.0]);
same('waits', $waiting->hear(), 'one waits');
$waits(1);
$clock->set(3600.0);
[$fence, $seconds] = $waiting->hear();
check($fence > $stale, 'forward: the lease has ended there, and who waited gets the lock, with a larger fence', stale: $stale, fence: $fence);
between(0.0, 30.0, $seconds, 'forward: nobody hangs');
same(true, $lock->isHeld(), 'forward: the stale holder cannot know; that is what the fence is for');
same($stale, $lock->fence(), 'forward: its own is the smaller one');
$before = lock_state('job', $redis);
same(false, $lock->renew(), 'forward: it cannot renew');
same(false, $lock->isHeld(), 'forward: and then it knows');
same(false, $lock->release(), 'forward: nor release');
same($before, lock_state('job', $redis), 'forward: the new holder has what it had');
same(true, $waiting->ask('release'), 'forward: and gives it back');
$result = $client->lock('job')->synchronized(fn (int $fence) => $fence);
check($result > $fence, 'forward: fences grow');

// Set right again: the stored fence is ahead of the clock now, and they still grow.
$clock->set(0.0);
$next = $client->lock('job')->synchronized(fn (int $fence) => $fence);
same($result + 1, $next, 'right again: one more than the last');
$inVain->tell('end');
foreach ([$inVain, $served, $waiting] as $worker) {
	same(0, $worker->end()['status'], 'a worker ends well');
}
done();
?>
--EXPECT--
30 checks passed
