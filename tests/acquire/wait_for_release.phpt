--TEST--
A waiter gets the lock when the holder gives it back
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';
require __DIR__ . '/../include/process.inc';

$server = RedisServer::start();
$redis = $server->connect();
$holder = $server->client(prefix())->lock('job', 60.0);
$first = $holder->acquire();

$waiter = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 60.0);
	tell('begins');
	$fence = $lock->acquire(60.0);
	tell(['fence' => $fence, 'held' => $lock->isHeld(), 'token' => $lock->token()]);
	hear();
	tell($lock->release());
	PHP, $server->dsn());
same('begins', $waiter->hear(), 'the waiter begins');
$redis->must('CONFIG', 'RESETSTAT');
wait_until(fn () => ($redis->calls()['evalsha'] ?? 0) + ($redis->calls()['eval'] ?? 0) > 0, 'the waiter has asked');
same(true, $holder->isHeld(), 'the holder still holds it while the other one waits');
$token = $holder->token();
same(true, $holder->release(), 'the holder gives it back');

$got = $waiter->hear();
check($got['fence'] > $first, 'the waiter has a larger fence', first: $first, got: $got);
same(true, $got['held'], 'the waiter holds it');
same($got['token'], $redis->must('GET', lock_key('job')), 'the key holds the token of the waiter');
check($got['token'] !== $token, 'which is another one');
same(null, $holder->acquire(), 'the first holder finds it held now');
same(true, $waiter->ask('release'), 'the waiter gives it back');
same(['output' => '', 'status' => 0], $waiter->end(), 'the waiter ends well');
done();
?>
--EXPECT--
10 checks passed
