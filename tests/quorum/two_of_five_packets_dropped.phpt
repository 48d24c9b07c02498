--TEST--
Quorum: the packets to two of five are dropped: everything works
--EXTENSIONS--
redislock
--SKIPIF--
<?php
require __DIR__ . '/../include/skipif.inc';
require __DIR__ . '/../faults/namespace.inc';
if (namespace_command() === null) {
	echo 'skip no network namespace can be made here';
}
?>
--FILE--
<?php
require __DIR__ . '/gone.inc';
require __DIR__ . '/../faults/namespace.inc';

enter_namespace();

$quorum = Quorum::start(5, tcp: true);
$drop = fn (int ...$gone) => array_map(fn (int $i) => run_or_fail("iptables -A INPUT -p tcp --dport {$quorum->nodes[$i]->port} -j DROP"), $gone);
$mend = fn () => run_or_fail('iptables -F');
minority_gone('connections that are there', $quorum, [0, 3], fn () => $quorum->client(connectTimeout: 1.0, timeout: 1.0), fn () => $drop(0, 3), $mend, 12.0);

// A process that has never seen them.
$drop(2, 3);
$worker = new Worker(<<<'PHP'
	$client = new RedisLock\Client($argument, prefix(), connectTimeout: 60.0, timeout: 60.0);
	$begin = hrtime(true);
	$lock = $client->lock('job', 50.0);
	$said = [$lock->acquire() > 0, $lock->renew(), $client->lock('job')->acquire() === null, $lock->release()];
	tell([$said, (hrtime(true) - $begin) / 1e9]);
	PHP, $quorum->dsns());
[$said, $took] = $worker->hear();
same([true, true, true, true], $said, 'never seen: acquire(), renew(), contention, release()');
between(0.0, SLACK, $took, 'without waiting for them');
same(['output' => '', 'status' => 0], $worker->end(), 'it ends well');
$mend();
done();
?>
--EXPECT--
19 checks passed
