--TEST--
No second connection can be had: the wait goes on with one
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue(['maxclients' => '4']);
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$fence = $holder->acquire();
$others = [$queue->server->connect()];
$others[0]->must('PING');
$line = $queue->line(['w1']);
same(4, (int) $queue->redis->info('clients')['connected_clients'], 'there is room for nobody else');
wait_until(fn () => (int) $queue->redis->info('stats')['rejected_connections'] > 0, 'a second connection is refused');
wait_until(fn () => $queue->blpops() >= 3, 'it blocks again and again');
same(true, $holder->release(), 'the holder gives it back');
$queue->checkServed($line);
same(['w1'], check_history($queue->history, fence: $fence), 'it was inside');

// Also if nobody releases: the lease of a holder that is gone ends, and the wait ends.
$gone = $queue->server->client(prefix())->lock('job', 3.0);
check($gone->acquire(60.0) > 0, 'the lock is taken again');
$line = $queue->line(['w2']);
$gone->detach();
$queue->checkServed($line);
check($gone->acquire(60.0) > 0, 'and again');
foreach ([0.3, 1.5] as $wait) {
	$line = $queue->line(["w$wait"], wait: $wait);
	same(['fence' => null, 'released' => null], array_diff_key($line["w$wait"]->hear(), ['waited' => 0]), "$wait s: null at the end of the wait");
	$line["w$wait"]->end();
}
done();
?>
--EXPECT--
13 checks passed
