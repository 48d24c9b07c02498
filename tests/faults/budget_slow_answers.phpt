--TEST--
Time budget: every answer takes a good part of the command timeout
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';

// Longer than the answers by what a busy machine may add to them.
const TIMEOUT = 2.0;
const SLACK = 2.5;
$server = RedisServer::start();
$redis = $server->connect();
$proxy = FaultProxy::before($server);
$client = $proxy->client(timeout: TIMEOUT);
$slow = fn () => $proxy->onReply('*', 'delay', times: 0, ms: 1200);
$within = function (string $what, callable $call) {
	$begin = hrtime(true);
	try {
		return $call();
	} finally {
		between(0.0, 2 * TIMEOUT + SLACK, (hrtime(true) - $begin) / 1e9, "$what: within its budget");
	}
};

$slow();
$lock = $client->lock('job', 60.0);
check($within('acquire()', fn () => $lock->acquire()) > 0, 'acquire() is answered');
same(true, $within('renew()', fn () => $lock->renew()), 'renew() is answered');
same(true, $within('release()', fn () => $lock->release()), 'release() is answered');
// The server does not know the scripts: each answer takes its time.
$redis->must('SCRIPT', 'FLUSH');
check($within('acquire() by its text', fn () => $lock->acquire()) > 0, 'acquire() is answered');
same(true, $within('release() by its text', fn () => $lock->release()), 'release() is answered');

// An acquire that was sent many times: what each send may have taken is given back within one budget.
$proxy->clear();
$proxy->forget();
$lock = $client->lock('many', 60.0);
$proxy->onReply('acquire', 'cut', times: 0);
throws(RedisLock\UncertainException::class, fn () => $lock->acquire(2.0), 'sent many times');
check($proxy->count('acquire') > 12, 'indeed', count: $proxy->count('acquire'));
$proxy->clear();
$slow();
$proxy->forget();
try {
	$result = $within('release() of many sends', fn () => $lock->release());
} catch (RedisLock\FailureException $result) {
}
check($result === true || $result instanceof RedisLock\UncertainException, 'it says that it gave back what was taken, or that it does not know', result: $result);
done();
?>
--EXPECT--
14 checks passed
