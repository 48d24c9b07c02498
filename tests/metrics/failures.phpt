--TEST--
Failures are counted by their kind, and what the way to the server costs: repeats, orphans, reconnects, parked connections
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/metrics.inc';

use RedisLock\ConnectionException;
use RedisLock\LostException;
use RedisLock\ServerException;
use RedisLock\UncertainException;

$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$client = $proxy->client(timeout: 1.0);
$lock = $client->lock('job', 60.0);
adds(['attempts' => 1, 'acquired' => 1, 'released' => 1], function () use ($lock) {
	$lock->acquire();
	$lock->release();
}, 'nothing fails');

// Nobody is there.
$nobody = new RedisLock\Client('unix:///nowhere/redis.sock', prefix());
adds(['attempts' => 1, 'errors connection' => 1], failing(ConnectionException::class, fn () => $nobody->lock('job')->acquire()), 'acquire() without a server');
// Each connection from now on is in the place of one that failed.
adds(['errors connection' => 1, 'reconnects' => 1], failing(ConnectionException::class, fn () => $nobody->lock('job')->attach('x')), 'attach()');
adds(['errors connection' => 1, 'reconnects' => 1], failing(ConnectionException::class, fn () => $nobody->release('job', 'x')), 'Client::release()');
adds(['errors connection' => 1, 'reconnects' => 1], failing(ConnectionException::class, fn () => $nobody->renew('job', 'x', 1.0)), 'Client::renew()');

// An error of the server.
$redis->must('RPUSH', prefix() . 'list', '1');
adds(['attempts' => 1, 'errors server' => 1], failing(ServerException::class, fn () => $client->lock('list')->acquire()), 'a key of another type');

// An answer is lost with the connection: sent again, on a new one. The first grant is the same ownership.
$proxy->onReply('acquire', 'cut');
adds(['attempts' => 1, 'acquired' => 1, 'repeats' => 1, 'reconnects' => 1], fn () => $lock->acquire(), 'acquire() whose answer is lost');
$proxy->onReply('renew', 'cut');
adds(['renewed' => 1, 'repeats' => 1, 'reconnects' => 1], fn () => $lock->renew(), 'renew() whose answer is lost');
$proxy->onReply('release', 'cut');
adds(['released' => 1, 'repeats' => 1, 'reconnects' => 1], fn () => $lock->release(), 'release() whose answer is lost: ours all the same');

// It does not come: the connection is parked, with the release of that send behind it.
$proxy->onCommand('acquire', 'hold');
adds(['attempts' => 1, 'acquired' => 1, 'repeats' => 1, 'orphans' => 1, 'connections_parked' => 1, 'reconnects' => 1], fn () => $lock->acquire(), 'acquire() that hangs');
$proxy->release();
$proxy->waitQuiet();
adds(['released' => 1], fn () => $lock->release(), 'release()');

// All answers are lost.
$proxy->onCommand('acquire', 'cut', times: 0);
adds(['attempts' => 1, 'errors uncertain' => 1, 'repeats' => 1, 'reconnects' => 1], failing(UncertainException::class, fn () => $lock->acquire()), 'acquire() that nobody answers');
$proxy->clear();
adds(['reconnects' => 1], fn () => $lock->release(), 'and that had taken nothing');
$proxy->onReply('acquire', 'cut', times: 0);
adds(['attempts' => 1, 'errors uncertain' => 1, 'repeats' => 1, 'reconnects' => 1], failing(UncertainException::class, fn () => $lock->acquire()), 'acquire() whose answers are all lost');
$proxy->clear();
adds(['orphans' => 1, 'reconnects' => 1], fn () => $lock->release(), 'and that had taken the lock: release() finds it');

$lock->acquire();
$proxy->onReply('release', 'cut', times: 0);
adds(['errors uncertain' => 1, 'repeats' => 1, 'reconnects' => 1], failing(UncertainException::class, fn () => $lock->release()), 'release() whose answers are all lost');
$proxy->clear();
adds(['released' => 1, 'reconnects' => 1], fn () => $lock->release(), 'asked again: it was given back, and not lost');

// A connection that died while nobody used it.
$redis->must('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
$proxy->waitClients(0);
adds(['attempts' => 1, 'acquired' => 1, 'reconnects' => 1], fn () => $lock->acquire(), 'a dead connection is replaced');
$lock->release();

// A grant that came too late is given back.
$proxy->onReply('acquire', 'delay', ms: 200);
$late = $proxy->client(timeout: 60.0)->lock('late', 0.05);
adds(['attempts' => 1, 'errors lost' => 1, 'orphans' => 1], failing(LostException::class, fn () => $late->acquire()), 'a grant that came too late');

// A release at the end of an object, without a server: nobody is told, but here.
$lock = $client->lock('job', 0.5);
$lock->acquire();
$proxy->deafen();
$proxy->hangUp();
$proxy->waitClients(0);
adds(['errors connection' => 1, 'reconnects' => 1], function () use (&$lock) {
	$lock = null;
}, 'a release that cannot be written');
$proxy->listen();

// A server that is not the master any more: the name is looked up anew for each try.
$redis->must('REPLICAOF', '127.0.0.1', '1');
$added = added(failing(ServerException::class, fn () => $server->client(prefix())->lock('job')->acquire(0.2)));
same([1, 1], [$added['attempts'], $added['errors server']], 'a replica');
check($added['reconnects'] >= 1, 'which was asked over several connections', added: $added);

// Attempts end in one of these, and no end is counted twice.
$stats = counters(RedisLock::stats());
$ends = $stats['acquired'] + $stats['refused'] + $stats['timed_out'];
$failed = array_sum(RedisLock::stats()['errors']);
check($stats['attempts'] >= $ends && $stats['attempts'] <= $ends + $failed, 'the sums agree', stats: $stats);
same(0, $stats['lost'] + $stats['released_late'] + $stats['released_automatically'], 'nothing was lost on the way');
done();
?>
--EXPECT--
24 checks passed
