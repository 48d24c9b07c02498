--TEST--
The server becomes a replica during a wait: READONLY, and not a stale answer
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
$queue->redis->must('REPLICAOF', '127.0.0.1', '1');
$got = $line['impatient']->hear();
check(str_starts_with($got['thrown'] ?? '', 'RedisLock\ServerException') && str_contains($got['thrown'], 'READONLY'), 'after retryFor the wait ends with the error', got: $got);
same(['output' => '', 'status' => 0], $line['impatient']->end(), 'and the process goes on');
unset($line['impatient']);
$queue->redis->must('REPLICAOF', 'NO', 'ONE');
same(true, $holder->release(), 'a master again: the holder gives it back');
$queue->checkServed($line);
same(['patient'], check_history($queue->history, fence: $fence), 'the other one is served');
done();
?>
--EXPECT--
8 checks passed
