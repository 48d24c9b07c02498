--TEST--
A server that is still loading is a ServerException LOADING, and is waited for within a wait
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

// It reads 300 keys from its file and takes its time for each.
$server = RedisServer::start(['save' => '', 'dbfilename' => 'dump.rdb', 'loading-process-events-interval-bytes' => '1024']);
$redis = $server->connect();
for ($i = 0; $i < 300; $i++) {
	$redis->must('SET', "filler:$i", str_repeat(chr(65 + $i % 26) . $i, 1000));
}
$redis->must('SAVE');
$slow = RedisServer::start(['dir' => $server->dir, 'dbfilename' => 'dump.rdb', 'loading-process-events-interval-bytes' => '1024', 'key-load-delay' => '20000'], loading: true);
$client = $slow->client('test:', retryFor: 60.0);
server_error('LOADING', fn () => $client->lock('job')->acquire(), 'acquire()');
server_error('LOADING', fn () => $client->inspect('job'), 'inspect()');
$lock = $client->lock('job');
check($lock->acquire(60.0) > 0, 'acquire() with a wait gets it once the server has loaded');
same(true, $lock->release(), 'and release() works');
done();
?>
--EXPECT--
6 checks passed
