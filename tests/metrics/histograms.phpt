--TEST--
The histograms: who waited, who held, how much of the lease was used
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/metrics.inc';

/** The histogram as it was before and as it is after a call: count, sum, and the least bucket that got something. */
function observes(string $histogram, callable $call): array
{
	$before = RedisLock::stats()[$histogram];
	$call();
	$after = RedisLock::stats()[$histogram];
	foreach ($after['buckets'] as $bound => $count) {
		if ($count > $before['buckets'][$bound]) {
			return [$after['count'] - $before['count'], $after['sum'] - $before['sum'], $bound === '+Inf' ? INF : (float) $bound];
		}
	}
	return [0, 0.0, null];
}

$server = RedisServer::start();
$client = $server->client(prefix());
$lock = $client->lock('job', 10.0);

// Wait: of those who got it. The holder lets go 0.2 s after the waiter asked, or later.
$holder = new Worker('$lock = (new RedisLock\Client($argument, prefix()))->lock("job", 60.0); $lock->acquire(); ready(); usleep(200_000); $lock->release(); tell("released");', $server->dsn());
$holder->hear();
[$count, $sum, $bound] = observes('wait_seconds', function () use ($holder, $lock) {
	$holder->tell('go');
	$lock->acquire(60.0);
});
same(1, $count, 'one wait');
between(0.05, 60.0, $sum, 'as long as it took');
check($bound >= $sum && $bound <= 60.0, 'in its bucket', bound: $bound, sum: $sum);
same('released', $holder->hear(), 'the holder is gone');
same([0, 0.0, null], observes('wait_seconds', fn () => $client->lock('job', 10.0)->acquire(0.01)), 'a wait in vain has no grant');

// Hold, and share of the lease.
usleep(100_000);
[$count, $sum, $bound] = observes('hold_seconds', fn () => $lock->release());
same(1, $count, 'one holder');
between(0.1, 30.0, $sum, 'for as long as it had it');
$share = observes('lease_used_ratio', function () use ($lock) {
	$lock->acquire();
	usleep(200_000);
	$lock->release();
});
same(1, $share[0], 'one share');
between(0.019, 0.5, $share[1], '0.2 s of 10 s, or a little more');

// More than the whole lease.
[$count, $sum, $bound] = observes('lease_used_ratio', function () use ($client) {
	$lock = $client->lock('short', 0.3);
	$lock->acquire();
	usleep(620_000);
	$lock->release();
});
same(1, $count, 'one share');
check($sum >= 2.0 && $bound >= $sum, 'twice the lease, at least', sum: $sum, bound: $bound);

// A renewal makes it a new lease: the share is of that one.
[$count, $sum] = observes('lease_used_ratio', function () use ($client) {
	$lock = $client->lock('renewed', 0.5);
	$lock->acquire();
	usleep(250_000);
	$lock->renew(1000.0);
	$lock->release();
});
same(1, $count, 'one share');
between(0.0, 0.05, $sum, 'of the renewed lease hardly anything was used');

// A renewal that changes nothing leaves it what it was.
[$count, $sum] = observes('lease_used_ratio', function () use ($client) {
	$lock = $client->lock('not shortened', 10.0);
	$lock->acquire();
	usleep(1_000_000);
	$lock->renew(0.01);
	$lock->release();
});
between(0.09, 1.0, $sum, 'a tenth of the lease, at least');

// Whoever takes a lock over has what is left of its lease.
$first = $client->lock('taken over', 6.0);
$first->acquire();
usleep(3_000_000);
[$count, $sum] = observes('lease_used_ratio', function () use ($client, $first) {
	$second = $client->lock('taken over', 6.0);
	$second->attach($first->detach());
	$second->release();
});
same(1, $count, 'one share');
between(0.45, 2.0, $sum, 'half of the lease was over when it was taken over');

// Only ends are observed, each once.
$lock->acquire();
same([0, 0.0, null], observes('hold_seconds', fn () => $lock->renew()), 'a renewal is no end');
[$count] = observes('hold_seconds', function () use (&$lock) {
	$lock = null;
});
same(1, $count, 'the end of the object is one');
$lock = $client->lock('job', 10.0);
$lock->acquire();
[$count] = observes('hold_seconds', function () use ($lock, $client) {
	$client->forceRelease('job');
	$lock->renew();
	$lock->release();
});
same(1, $count, 'a loss is one');

// Each command is a round trip; its script's first EVALSHA that the server did not know is not another one.
$server->connect()->must('SCRIPT', 'FLUSH');
[$count, $sum] = observes('round_trip_seconds', function () use ($lock) {
	$lock->acquire();
	$lock->renew();
	$lock->release();
});
same(3, $count, 'three commands');
check($sum > 0, 'each took some time', sum: $sum);
done();
?>
--EXPECT--
21 checks passed
