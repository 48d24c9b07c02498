--TEST--
A server that takes no more clients
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start(['maxclients' => '10']);
$others = [];
for ($i = 0; $i < 10; $i++) {
	$others[] = $server->connect();
	$others[$i]->must('PING');
}
$lock = $server->client()->lock('job', 30.0);
throws(RedisLock\ServerException::class, fn () => $lock->acquire(), 'acquire()', 'max number of clients');
same(false, $lock->isHeld(), 'nothing is held');
$others[0]->close();
wait_until(fn () => (int) $others[1]->info('clients')['connected_clients'] < 10, 'one has left');
check($lock->acquire() > 0, 'then there is room');
same(true, $lock->release(), 'and release() works');
done();
?>
--EXPECT--
4 checks passed
