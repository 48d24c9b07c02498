--TEST--
Waiters are served in the order in which they came, with one BLPOP each
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$fence = $holder->acquire();
$queue->redis->must('CONFIG', 'RESETSTAT');
$names = array_map(fn (int $i) => "w$i", range(1, 10));
$line = $queue->line($names);
same(10, $queue->blpops(), 'each of them blocks once, for the whole wait');
same(true, $holder->isHeld(), 'the holder still has it');
same(true, $holder->release(), 'the holder gives it back');
$queue->checkServed($line);
same($names, check_history($queue->history, fence: $fence), 'served in the order of arrival');
same(10, $queue->blpops(), 'nobody had to block again');
done();
?>
--EXPECT--
27 checks passed
