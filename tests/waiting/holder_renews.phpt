--TEST--
While the holder renews a short lease nobody gets the lock, and waiting costs little
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$holder = $queue->server->client(prefix())->lock('job', 1.5);
$fence = $holder->acquire();
$line = $queue->line(['w1', 'w2']);
$queue->redis->must('CONFIG', 'RESETSTAT');
for ($renewals = 0, $end = hrtime(true) + 4e9; hrtime(true) < $end; $renewals++) {
	$holder->renew() || check(false, 'it can be renewed');
	usleep(100_000);
}
// About one poke a second each, and a first one that was not in the script cache of the server yet.
between(2, 24, $queue->commands() - $renewals, 'the two waiters have sent few commands in 4 s');
same(false, file_exists($queue->history), 'nobody got in');
same(2, $queue->blocked(), 'both are still blocked');
same(true, $holder->release(), 'the holder gives it back');
$queue->checkServed($line);
same(['w1', 'w2'], check_history($queue->history, fence: $fence), 'served in the order of arrival');
done();
?>
--EXPECT--
11 checks passed
