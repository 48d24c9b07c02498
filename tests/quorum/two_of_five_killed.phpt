--TEST--
Quorum: two of five are killed and refuse connections: everything works
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/gone.inc';

foreach ([false, true] as $tcp) {
	$quorum = Quorum::start(5, $tcp);
	foreach ([[3, 4], [0, 2]] as $gone) {
		minority_gone(
			($tcp ? 'TCP, ' : 'unix sockets, ') . implode(' and ', $gone),
			$quorum,
			$gone,
			fn () => $quorum->client(connectTimeout: LONG, timeout: LONG),
			fn () => $quorum->kill(...$gone),
			function () use ($quorum, $gone): void {
				$quorum->boot(...$gone);
				// They have lost their memory, and sit out. See memory_loss.phpt.
				array_map($quorum->endSitOut(...), $gone);
			},
		);
	}
}

// A process that has never seen them: they refuse from the first connection on.
$quorum = Quorum::start(5, tcp: true);
$quorum->kill(1, 3);
$code = <<<'PHP'
	$client = new RedisLock\Client($argument, prefix(), connectTimeout: 60.0, timeout: 60.0);
	$begin = hrtime(true);
	$lock = $client->lock('job', 50.0);
	$said = [$lock->acquire() > 0, $lock->renew(), $client->lock('job')->acquire() === null, $lock->release()];
	tell([$said, (hrtime(true) - $begin) / 1e9]);
	PHP;
$worker = new Worker($code, $quorum->dsns());
[$said, $took] = $worker->hear();
same([true, true, true, true], $said, 'two that refuse from the beginning: acquire(), renew(), contention, release()');
between(0.0, SLACK, $took, 'without waiting for them');
same(['output' => '', 'status' => 0], $worker->end(), 'it ends well');
done();
?>
--EXPECT--
67 checks passed
