--TEST--
A waiter is killed when its claim is already on its way: the lock is free as that lease ends
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/waiting.inc';

$queue = new Queue();
$proxy = FaultProxy::before($queue->server);
$holder = $queue->server->client(prefix())->lock('job', 60.0);
$fence = $holder->acquire();
$line = $queue->line(['w1'], ttl: 1.5, client: ['servers' => $proxy->dsn()]) + $queue->line(['w2', 'w3']);
$proxy->onCommand('acquire', 'hold', contains: 'handoff:');
same(true, $holder->release(), 'the holder gives it back');
$proxy->waitHeld(1);
$line['w1']->signal('KILL');
same(128 + 9, $line['w1']->end()['status'], 'w1 is killed');
unset($line['w1']);
$proxy->release();
$proxy->waitAnswered('acquire', 2);
$token = (string) $queue->holder();
check(preg_match('/^[0-9a-f]{32}$/', $token) === 1, 'the lock is held by a dead process', value: $token);
$queue->checkServed($line);
same(['w2', 'w3'], check_history($queue->history, fence: $fence), 'the others are served in the order of arrival');
done();
?>
--EXPECT--
10 checks passed
