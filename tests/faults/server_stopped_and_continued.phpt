--TEST--
(h) The server is stopped, everything is queued, and then it goes on
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

$server = RedisServer::start();
$redis = $server->connect();
$client = $server->client(prefix(), timeout: 0.5);
$scripts = fn () => array_sum(array_intersect_key($redis->calls(), ['eval' => 0, 'evalsha' => 0]));
// Every command that was sent has been executed.
$wait = fn (int $count) => wait_until(fn () => $scripts() === $count, "$count scripts have run");

// Every script is known, and there is a connection already.
$held = $client->lock('held', 3600.0);
$held->acquire();
$held->renew();
$client->lock('x')->synchronized(fn () => true);
foreach (['kept' => false, 'destroyed' => true] as $what => $destroy) {
	$redis->must('CONFIG', 'RESETSTAT');
	$lock = $client->lock($what, 3600.0);
	$server->signal('STOP');
	throws(RedisLock\UncertainException::class, fn () => $lock->acquire(), "$what: unknown", 'acquire');
	if ($destroy) {
		unset($lock);
	}
	$server->signal('CONT');
	// Two sends, and the release of each behind it; and what the destructor wrote of both.
	$wait($destroy ? 6 : 4);
	same(0, $redis->must('EXISTS', lock_key($what)), "$what: everything ran, and nothing is locked");
	if (!$destroy) {
		check($lock->acquire() > 0, "$what: and the next acquire gets it");
		same(true, $lock->release(), "$what: and gives it back");
	}
}

$server->signal('STOP');
$before = $held->remaining();
throws(RedisLock\UncertainException::class, fn () => $held->renew(7200.0), 'a renewal is unknown', 'renew');
between($before - 30.0, $before, $held->remaining(), 'the old lease stands');
$server->signal('CONT');
same(true, $held->renew(7200.0), 'then it is renewed');
$server->signal('STOP');
throws(RedisLock\UncertainException::class, fn () => $held->release(), 'a release is unknown', 'release');
same(false, $held->isHeld(), 'it is not relied on any more');
$server->signal('CONT');
wait_until_free('held', $redis);
same(false, $held->release(), 'it was executed');

// Stopped while somebody waits, for longer than a command may take: the wait goes on.
$holder = $client->lock('waited for', 3600.0);
$holder->acquire();
$waiter = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix(), timeout: 0.1))->lock('waited for', 3600.0);
	tell('waits');
	tell($lock->acquire(600.0) > 0);
	hear();
	PHP, $server->dsn());
same('waits', $waiter->hear(), 'somebody waits');
wait_until(fn () => $redis->must('EXISTS', lock_key('waited for')) && ($redis->calls()['evalsha'] ?? 0) > 0, 'it has asked');
for ($i = 0; $i < 3; $i++) {
	$server->signal('STOP');
	usleep(500_000);
	$server->signal('CONT');
}
same(true, $holder->release(), 'the holder gives it back');
same(true, $waiter->hear(), 'and the waiter gets it');
$waiter->tell('end');
same(['output' => '', 'status' => 0], $waiter->end(), 'it ends well');
wait_until_free('waited for', $redis);
done();
?>
--EXPECT--
16 checks passed
