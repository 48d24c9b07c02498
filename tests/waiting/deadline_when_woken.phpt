--TEST--
A wake-up that comes at the moment of the deadline is not lost
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

const WAIT = 5.0;
$queue = new Queue();
foreach ([[], ['w2', 'w3']] as $behind) {
	$case = $behind === [] ? 'alone' : 'with others behind it';
	@unlink($queue->history);
	$holder = $queue->server->client(prefix())->lock('job', 60.0);
	$fence = $holder->acquire(60.0);
	// Its wait must last until all are there, also on a busy machine.
	$line = $queue->line(['w1'], wait: WAIT, client: ['timeout' => 20.0]);
	$deadline = hrtime(true) + (int) (WAIT * 1e9);
	$line += $queue->line($behind, client: ['timeout' => 20.0]);
	// The release is written and not awaited; it lies before the stopped server together with the end of the wait.
	// Not longer than the flag of the waiters lasts.
	wait_until(fn () => hrtime(true) > $deadline - 1_000_000_000, 'the end of the wait is near');
	$queue->server->signal('STOP');
	unset($holder);
	wait_until(fn () => hrtime(true) > $deadline + 200_000_000, 'it is over');
	$queue->server->signal('CONT');
	$got = $line['w1']->hear();
	$order = $behind;
	if ($behind === [] || $got['fence'] !== null) {
		check($got['fence'] > $fence && $got['released'] === true, "$case: w1 gets it by its last try", got: $got);
		array_unshift($order, 'w1');
	} else {
		// The server has noticed the end of the wait first.
		same(null, $got['fence'], "$case: w1 does not get it");
	}
	unset($line['w1']);
	$queue->checkServed($line);
	same($order, check_history($queue->history, fence: $fence), "$case: and everybody else, in the order of arrival");
}
done();
?>
--EXPECT--
12 checks passed
