--TEST--
The server goes away during a wait: for a moment nobody notices, longer than retryFor is an exception
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
$line = $queue->line(['patient'], client: ['retryFor' => 60.0]) + $queue->line(['impatient'], client: ['retryFor' => 0.3]);
$queue->server->kill();
$got = $line['impatient']->hear();
// Uncertain, if a last connection still got through to the dying server.
check(preg_match('/^RedisLock\\\\(Connection|Uncertain)Exception/', $got['thrown'] ?? '') === 1, 'after retryFor the wait ends with an exception', got: $got);
same(['output' => '', 'status' => 0], $line['impatient']->end(), 'and the process goes on');
unset($line['impatient']);
$queue->server->boot();
$queue->checkServed($line);
same(['patient'], check_history($queue->history, fence: $fence), 'the other one is served when the server is back');
done();
?>
--EXPECT--
7 checks passed
