--TEST--
A waiter has one connection, and after a second two, never more
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$client = $queue->server->client(prefix());
$holder = $client->lock('job', 60.0);
$holder->acquire();
$connected = fn () => (int) $queue->redis->info('clients')['connected_clients'];
$base = $connected();
$queue->redis->must('CONFIG', 'RESETSTAT');
$line = $queue->line(['w1']);
$early = [$connected(), $queue->redis->calls()['evalsha'] ?? 0];
// On a machine that takes a second for this, the poke may have come already.
check($early[0] === $base + 1 || $early[1] > 1, 'one connection at first', seen: $early, base: $base);
wait_until(fn () => $connected() === $base + 2, 'the first poke makes it two');
for ($i = 0, $most = 0; $i < 250; $i++) {
	$most = max($most, $connected());
	usleep(10_000);
}
same($base + 2, $most, 'and it stays at two');
same(2, (int) $queue->redis->info('stats')['total_connections_received'], 'which are used again');
$holder->release();
$queue->checkServed($line);
done();
?>
--EXPECT--
5 checks passed
