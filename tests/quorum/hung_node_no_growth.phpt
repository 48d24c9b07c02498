--TEST--
Quorum: a node that hangs for thousands of cycles: no descriptor, no memory, nothing locked behind
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

// The sanitizers keep freed memory for a while, and find leaks in their own way.
$sanitized = getenv('TEST_ASAN') === '1';
$descriptors = fn (): int => count(scandir('/proc/self/fd'));
$pages = fn (): int => (int) explode(' ', file_get_contents('/proc/self/statm'))[1];

$quorum = Quorum::start(5);
foreach ([60.0, 1.0] as $timeout) {
	$client = $quorum->client(connectTimeout: $timeout, timeout: $timeout);
	$quorum->warmUp($client);
	$cycle = function (int $i) use ($client): int {
		$lock = $client->lock('job ' . $i % 10, 20.0);
		$other = $client->lock('other ' . $i % 7, 20.0);
		return $lock->acquire() > 0 && $other->acquire() > 0 && $lock->renew(25.0) && $lock->release() && $other->release() ? 0 : 1;
	};
	$failed = 0;
	$quorum->accepted();   // so that our own connections are there
	for ($i = 0; $i < 500; $i++) {
		$failed += $cycle($i);
	}
	$quorum->stop(3);
	$accepted = $quorum->accepted([0])[0];
	for (; $i < 1500; $i++) {
		$failed += $cycle($i);
	}
	gc_collect_cycles();
	$before = [$descriptors(), $pages(), memory_get_usage()];
	// What leaks leaks every time; the allocator takes another page now and then.
	$grown = [];
	for ($part = 1; $part <= 3; $part++) {
		$pages_before = $pages();
		for ($end = hrtime(true) + 2e9; hrtime(true) < $end || $i < 1500 + 400 * $part; $i++) {
			$failed += $cycle($i);
		}
		gc_collect_cycles();
		$grown[] = $pages() - $pages_before;
	}
	$after = [$descriptors(), $pages(), memory_get_usage()];
	same(0, $failed, "timeout $timeout: every cycle worked");
	check($i > 2000, "timeout $timeout: thousands of them", cycles: $i);
	between($before[0] - 20, $before[0] + 20, $after[0], "timeout $timeout: no descriptors, but for a bounded number of parked ones");
	between(-100000, $sanitized ? PHP_INT_MAX : 20, min($grown), "timeout $timeout: no more resident pages than the noise of the allocator");
	between(-100000, 4096, $after[2] - $before[2], "timeout $timeout: no memory of PHP");
	if ($timeout > 1) {
		same($accepted, $quorum->accepted([0])[0], 'the others have the same connections all the time');
	}

	// It goes on. What it was asked meanwhile comes with its release behind it, so nothing stays.
	$known = (int) $quorum->look(0)->info('stats')['total_connections_received'];
	$quorum->cont(3);
	$quorum->waitUsed($client, 'it is used again');
	if ($timeout > 1) {
		foreach (range(0, 9) as $k) {
			$quorum->waitHeld(0, "job $k");
			$quorum->waitHeld(0, "other $k");
		}
	}
	check(true, "timeout $timeout: it is used again");
	for ($k = 0; $k < 500; $k++) {
		$failed += $cycle($k);
	}
	same(0, $failed, "timeout $timeout: and every cycle works");
	// Five nodes, the three pipes and what PHP has: what was parked is closed once it was answered.
	wait_until(fn () => $cycle(0) === 0 && $descriptors() <= $before[0] + 2, 'the parked connections are closed');
	check(true, "timeout $timeout: the parked connections are closed");
}

// A hung node was not flooded either: what it has to read when it wakes up is bounded.
$quorum = Quorum::start(5);
$client = $quorum->client(connectTimeout: 60.0, timeout: 60.0);
$quorum->warmUp($client);
$quorum->forgetCalls();
$quorum->stop(2);
for ($i = 0; $i < 3000; $i++) {
	$lock = $client->lock('job', 20.0);
	$lock->acquire() > 0 && $lock->release() || check(false, 'a cycle');
}
$quorum->cont(2);
usleep(200_000);
$calls = $quorum->calls(['evalsha', 'eval'])[2];
between(1, 1000, array_sum($calls), 'a node that hung for 3000 cycles has few of their commands to read');
done();
?>
--EXPECT--
18 checks passed
