--TEST--
A server that is busy with somebody's script is a ServerException BUSY
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start(['lua-time-limit' => '5']);
$client = $server->client(prefix());
$lock = $client->lock('job', 60.0);
$fence = $lock->acquire();
$redis = $server->connect();
$busy = $server->connect();
$busy->send('EVAL', 'while true do end', '0');
wait_until(fn () => $redis->command('PING') instanceof RespError, 'the server is busy');
server_error('BUSY', fn () => $client->lock('other')->acquire(), 'acquire()');
server_error('BUSY', fn () => $lock->renew(), 'renew()');
same(true, $lock->isHeld(), 'the lease stands');
server_error('BUSY', fn () => $client->inspect('job'), 'inspect()');
$redis->must('SCRIPT', 'KILL');
check($busy->read() instanceof RespError, 'the script is ended');
same(true, $lock->renew(), 'now renew() works');
same(true, $lock->release(), 'and release()');
check($lock->acquire() > $fence, 'and acquire()');
$lock->release();
done();
?>
--EXPECT--
11 checks passed
