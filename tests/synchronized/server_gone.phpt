--TEST--
synchronized(): Redis cannot be reached for the release
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$server = RedisServer::start();
$client = new RedisLock\Client($server->dsn(), 'test:', 1.0, 1.0, 0.2);
$lock = $client->lock('job', 60.0);
same('the result', $lock->synchronized(function () use ($server) {
	$server->kill();
	return 'the result';
}), 'the lease is still valid locally: the work is done, nobody else can have had the lock');
$server->boot();

$lock = $client->lock('short', 0.2);
$lost = throws(RedisLock\LostException::class, fn () => $lock->synchronized(function (int $fence, RedisLock $lock) use ($server) {
	$server->kill();
	wait_until(fn () => !$lock->isHeld(), 'the lease ends');
	return 'the result';
}, 10.0), 'the lease is over, and nothing can be known');
same('the result', $lost?->result, 'the result is in it');
$server->boot();

$lock = $client->lock('job', 60.0);
$mine = new DomainException('mine');
same($mine, throws(DomainException::class, fn () => $lock->synchronized(function () use ($server, $mine) {
	$server->kill();
	throw $mine;
}), 'an exception of the callback'), 'comes through unchanged');
$server->boot();
same('again', $client->lock('job', 60.0)->synchronized(fn () => 'again'), 'the server is back, and everything works again');
done();
?>
--EXPECT--
6 checks passed
