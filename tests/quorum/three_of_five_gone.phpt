--TEST--
Quorum: three of five are gone: a QuorumException within the timeout, and nothing stays locked
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/gone.inc';

const CLASSES = [RedisLock\ConnectionException::class, RedisLock\UncertainException::class];
const PASSWORD = 'correct-horse-battery';

function with_user(Quorum $quorum): array
{
	$quorum->each(null, fn (RespConnection $node) => $node->must('ACL', 'SETUSER', 'app', 'on', '>' . PASSWORD, '~*', '+@all'));
	return $quorum->dsns('app:' . PASSWORD);
}

foreach ([false, true] as $tcp) {
	$on = $tcp ? 'TCP' : 'unix sockets';
	$quorum = Quorum::start(5, $tcp);
	$dsns = with_user($quorum);
	majority_gone("stopped, $on", $quorum, [0, 2, 4], $dsns, CLASSES, fn () => $quorum->stop(0, 2, 4), false, secrets: [PASSWORD]);
	$quorum->cont(0, 2, 4);
	foreach (array_keys(CALLS) as $name) {
		$quorum->waitHeld(0, "job of $name");
	}
	check(true, "stopped, $on: nothing is left locked on those that were gone either");

	majority_gone("killed, $on", $quorum, [1, 2, 3], $dsns, CLASSES, fn () => $quorum->kill(1, 2, 3), true, secrets: [PASSWORD]);
}

// Connections that lead nowhere.
$quorum = Quorum::start(5);
$proxies = array_map(fn (int $i) => FaultProxy::before($quorum->nodes[$i]), [0 => 0, 1 => 1, 3 => 3]);
$dsns = array_replace($quorum->dsns(), array_map(fn (FaultProxy $proxy) => $proxy->dsn(), $proxies));
$client = new RedisLock\Client($dsns, $quorum->prefix, timeout: 1.0);
$held = $client->lock('held', 30.0);
$held->acquire();
foreach ($proxies as $proxy) {
	$proxy->onCommand('*', 'swallow', times: 0);
	$proxy->onConnect('ignore', times: 0);
}
$addresses = array_map(fn (FaultProxy $proxy) => $proxy->socket, $proxies);
for ($i = 0; $i < 5; $i++) {
	$took = seconds(fn () => quorum_error(array_values($addresses), fn () => $client->lock('job')->acquire(), "swallowed, $i", CLASSES));
	between(0.9, 1.0 + SLACK, $took, "swallowed, $i: within the timeout");
}
throws(RedisLock\QuorumException::class, fn () => $held->renew(), 'swallowed: renew()');
same(true, $held->isHeld(), 'swallowed: the lease from before stands');
$quorum->waitHeld(0, 'job', [2, 4]);
check(true, 'swallowed: nothing is left locked on the others');

// A wait does not hide an outage for longer than retryFor, and not at all without a wait.
$client = new RedisLock\Client($dsns, $quorum->prefix, timeout: 1.0, retryFor: 0.5);
$took = seconds(fn () => quorum_error(array_values($addresses), fn () => $client->lock('job')->acquire(30.0), 'with a wait', CLASSES));
between(0.5, 0.5 + 2 * 1.0 + SLACK, $took, 'with a wait: it is tried again for as long as retryFor says');
// And when they come back within it, the wait goes on well.
$client = new RedisLock\Client($dsns, $quorum->prefix, connectTimeout: 0.2, timeout: 0.2, retryFor: 30.0);
$worker = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix(), connectTimeout: 0.2, timeout: 0.2, retryFor: 30.0))->lock('job', 30.0);
	ready();
	tell($lock->acquire(30.0) > 0 && $lock->release());
	PHP, $dsns);
start_together([$worker]);
usleep(500_000);
array_map(fn (FaultProxy $proxy) => $proxy->clear(), $proxies);
same(true, $worker->hear(), 'they come back during the wait: it gets the lock');
same(['output' => '', 'status' => 0], $worker->end(), 'and ends well');

// The reasons are of different kinds. One hangs, and is not waited for long: three are enough to know.
$quorum = Quorum::start(5, tcp: true);
$dsns = with_user($quorum);
$quorum->kill(0);
$quorum->stop(1);
$quorum->look(2)->must('ACL', 'SETUSER', 'app', '-@scripting');
$dsns[3] = str_replace(PASSWORD, 'wrong-password', $dsns[3]);
$client = new RedisLock\Client($dsns, $quorum->prefix, timeout: LONG);
$took = seconds(function () use ($quorum, $client, &$thrown): void {
	$thrown = quorum_error(array_map($quorum->address(...), [0, 1, 2, 3]), fn () => $client->lock('job')->acquire(), 'different reasons');
});
between(0.0, SLACK, $took, 'different reasons: at once');
$errors = array_map(fn (int $i) => $thrown->errors[$quorum->address($i)] ?? null, [0, 1, 2, 3]);
same(RedisLock\ConnectionException::class, get_class($errors[0]), 'killed: it cannot be reached');
check($errors[1] instanceof RedisLock\ConnectionException || $errors[1] instanceof RedisLock\UncertainException, 'stopped: no answer', seen: $errors[1]);
same([RedisLock\ServerException::class, 'NOPERM'], [get_class($errors[2]), $errors[2]->redisCode ?? ''], 'without the right: the server says so');
same([RedisLock\ServerException::class, 'WRONGPASS'], [get_class($errors[3]), $errors[3]->redisCode ?? ''], 'with a wrong password: the server says so');
check(!preg_match('/' . PASSWORD . '|wrong-password/', $thrown . print_r($thrown, true) . implode("\n", $errors)), 'no password is shown');
check($thrown instanceof RedisLock\FailureException && preg_match('/[45] of 5/', $thrown->getMessage()) === 1, 'the message says how many', seen: $thrown);
$quorum->waitHeld(0, 'job', [4]);
check(true, 'nothing is left locked on the one that works');
// The trace of the exception holds the closure that holds the exception: LeakSanitizer would report that.
unset($thrown, $errors);
gc_collect_cycles();
done();
?>
--EXPECT--
486 checks passed
