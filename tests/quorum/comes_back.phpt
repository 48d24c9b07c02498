--TEST--
Quorum: a node that fails is tried again with growing pauses, and used again when it is back
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/quorum.inc';

$quorum = Quorum::start(5, tcp: true);
$client = $quorum->client();
$quorum->warmUp($client);

// In the place of node 2, somebody who counts how often he is called, and hangs up.
$quorum->kill(2);
$port = $quorum->nodes[2]->port;
$counter = new Worker(<<<'PHP'
	$server = stream_socket_server("tcp://127.0.0.1:$argument") ?: exit(1);
	tell('listens');
	$calls = [];
	while (true) {
		$read = [$server, STDIN];
		$write = $except = null;
		stream_select($read, $write, $except, null);
		if (in_array($server, $read, true) && ($caller = @stream_socket_accept($server, 0.0))) {
			$calls[] = hrtime(true) / 1e9;
			// A moment later, when the others have decided without him.
			usleep(2000);
			fclose($caller);
		}
		if (in_array(STDIN, $read, true)) {
			if (hear() === 'end') {
				fclose($server);
				tell('ended');
				exit(0);
			}
			tell($calls);
		}
	}
	PHP, $port);
same('listens', $counter->hear(), 'somebody else is in its place');
$begin = hrtime(true) / 1e9;
$cycles = $failed = 0;
while (hrtime(true) / 1e9 < $begin + 6.0 || $cycles < 200) {
	$lock = $client->lock('job', 30.0);
	$failed += $lock->acquire() > 0 && $lock->release() ? 0 : 1;
	$cycles++;
}
same(0, $failed, 'the others do the work');
$took = hrtime(true) / 1e9 - $begin;
$calls = $counter->ask('how often?');
// 20 ms, 40 ms, ... 2 s: ten times in six seconds, and one or two more because the first one may have been under way.
between(3, 11 + $took / 2, count($calls), 'it is called a few times, and not by every call');
$pauses = [];
for ($i = 1; $i < count($calls); $i++) {
	$pauses[] = $calls[$i] - $calls[$i - 1];
}
check(max($pauses) > 1.0, 'with pauses that grow from 20 ms', pauses: array_map(fn (float $pause) => round($pause, 3), $pauses));
between(0.0, 2.0 + 15.0, max($pauses), 'to two seconds at most');
same('ended', $counter->ask('end'), 'he goes away');
$counter->end();

// The node is back.
$quorum->boot(2);
$quorum->endSitOut(2);
$waited = seconds(fn () => $quorum->waitUsed($client, 'the node is used again'));
between(0.0, 2.0 + 15.0, $waited, 'it is used again within the longest pause');

// As good as before: the next failure is met with the shortest pause again.
for ($i = 0; $i < 50; $i++) {
	$lock = $client->lock('job', 30.0);
	$lock->acquire() > 0 && $lock->release() || check(false, 'a cycle');
}
$quorum->look(2)->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
$quorum->waitUsed($client, 'a node that has closed its connection is used again');
check(true, 'a node that has closed its connection is used again');

// When only few are left, nobody is left alone: each call asks all of them.
$quorum->kill(0, 1, 3);
for ($i = 0; $i < 20; $i++) {
	throws(RedisLock\QuorumException::class, fn () => $client->lock('job')->acquire(), 'three are gone');
}
$quorum->boot(0, 1, 3);
array_map($quorum->endSitOut(...), [0, 1, 3]);
check($client->lock('job', 30.0)->acquire() > 0, 'they are back: the first call succeeds');
done();
?>
--EXPECT--
29 checks passed
