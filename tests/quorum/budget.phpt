--TEST--
Quorum: every call ends within its wait and two command timeouts
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif_slow.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/fault_proxy.inc';
require __DIR__ . '/quorum.inc';

// The timeout to connect and the time failures are retried are long on purpose: only the budget of the call counts.
const TIMEOUT = 0.4;
const WAIT = 1.0;
const SLACK = 4.0;
const CALLS = [
	'acquire()' => [0.0, '$client->lock($name)->acquire();'],
	'acquire($wait)' => [WAIT, '$client->lock($name)->acquire(WAIT);'],
	'acquire($wait, $token)' => [WAIT, '$client->lock($name)->acquire(WAIT, "worker 7");'],
	'attach()' => [0.0, '$client->lock($name)->attach("token");'],
	'synchronized()' => [0.0, '$client->lock($name)->synchronized(fn () => print("called\n"));'],
	'synchronized($wait)' => [WAIT, '$client->lock($name)->synchronized(fn () => print("called\n"), WAIT);'],
	'Client::release()' => [0.0, '$client->release($name, "token");'],
	'Client::renew()' => [0.0, '$client->renew($name, "token", 30.0);'],
	'forceRelease()' => [0.0, '$client->forceRelease($name);'],
	'inspect()' => [0.0, '$client->inspect($name);'],
	'initializeQuorum()' => [0.0, '$client->initializeQuorum();'],
	'renew()' => [0.0, '$held->renew();'],
	'release()' => [0.0, '$held->release();'],
];
const CALLER = <<<'PHP'
	[$dsns, $name, $code, $timeout, $wait, $prepared] = $argument;
	define('WAIT', $wait);
	$client = new RedisLock\Client($dsns, prefix(), connectTimeout: 60.0, timeout: $timeout, retryFor: 60.0);
	if ($prepared) {
		$held = $client->lock("held for $name", 50.0);
		$held->acquire() > 0 || throw new Exception('not acquired');
		$client->inspect('job');
	}
	ready();
	$thrown = 'nothing';
	$begin = hrtime(true);
	try {
		eval($code);
	} catch (Throwable $problem) {
		$thrown = get_class($problem);
	}
	tell(['thrown' => $thrown, 'seconds' => (hrtime(true) - $begin) / 1e9]);
	hear();
	$begin = hrtime(true);
	unset($held);
	tell((hrtime(true) - $begin) / 1e9);
	hear();
	PHP;

/** @param (callable(): void)|null $break null: it never worked, so the calls that need a lock cannot be made */
function all_within_budget(string $what, array $dsns, ?callable $break): void
{
	$callers = [];
	foreach (CALLS as $name => [$wait, $code]) {
		if ($break !== null || !str_contains($code, '$held')) {
			$callers[$name] = new Worker(CALLER, [$dsns, "$what, $name", $code, TIMEOUT, WAIT, $break !== null]);
		}
	}
	foreach ($callers as $name => $caller) {
		same('ready', $caller->hear(), "$what: $name: ready");
	}
	$break === null || $break();
	foreach ($callers as $caller) {
		$caller->tell('go');
	}
	foreach ($callers as $name => $caller) {
		$seen = $caller->hear();
		same(RedisLock\QuorumException::class, $seen['thrown'], "$what: $name: which exception");
		between(0.0, CALLS[$name][0] + 2 * TIMEOUT + SLACK, $seen['seconds'], "$what: $name: within its budget");
	}
	foreach ($callers as $caller) {
		$caller->tell('unset');
	}
	foreach ($callers as $name => $caller) {
		between(0.0, SLACK, $caller->hear(), "$what: $name: a destructor waits for nobody");
	}
	$begin = hrtime(true);
	foreach ($callers as $caller) {
		$caller->tell('end');
	}
	foreach ($callers as $name => $caller) {
		same(['output' => '', 'status' => 0], $caller->end(), "$what: $name: it ends well");
	}
	between(0.0, 2.0 + SLACK, (hrtime(true) - $begin) / 1e9, "$what: and the end of the process takes no longer");
}

$quorum = Quorum::start(5);
all_within_budget('three are stopped', $quorum->dsns(), fn () => $quorum->stop(0, 1, 2));
$quorum->cont(0, 1, 2);
all_within_budget('all are stopped', $quorum->dsns(), fn () => $quorum->stop(...$quorum->all()));
$quorum->cont(...$quorum->all());

$proxies = array_map(fn (int $i) => FaultProxy::before($quorum->nodes[$i]), [0, 2, 4]);
$dsns = array_replace($quorum->dsns(), [0 => $proxies[0]->dsn(), 2 => $proxies[1]->dsn(), 4 => $proxies[2]->dsn()]);
all_within_budget('answers come byte by byte', $dsns, function () use ($proxies): void {
	foreach ($proxies as $proxy) {
		$proxy->onReply('*', 'drip', times: 0, ms: 300);
	}
});
foreach ($proxies as $proxy) {
	$proxy->clear();
	$proxy->release();
	$proxy->onConnect('ignore', times: 0);
	$proxy->hangUp();
}
all_within_budget('accepted and ignored', $dsns, null);
all_within_budget('names that nobody knows', ['redis://a.redislock-test.invalid', 'redis://b.redislock-test.invalid', 'redis://c.redislock-test.invalid'], null);

// A wait for a holder ends on time, with one last try at the deadline.
$quorum = Quorum::start(5);
$client = $quorum->client();
$holder = $client->lock('job', 60.0);
$holder->acquire();
foreach ([0.0, 0.05, 0.5, 1.5] as $wait) {
	$took = seconds(fn () => same(null, $client->lock('job')->acquire($wait), "held: acquire($wait) is null"));
	between($wait, $wait + SLACK, $took, "held: acquire($wait) lasts as long");
}
$quorum->forgetCalls();
$worker = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, prefix()))->lock('job', 60.0);
	tell($lock->acquire());
	$begin = hrtime(true);
	$lock->acquire(3.0);
	tell((hrtime(true) - $begin) / 1e9);
	PHP, $quorum->dsns());
$worker->hear();
between(3.0, 3.0 + SLACK, $worker->hear(), 'held: another process, 3 s');
$worker->end();
// Between 5 and 250 ms apart.
between(12, 600, max(array_column($quorum->calls(['evalsha']), 'evalsha')), 'held: it is tried again and again, and not without a pause');
// It is given back shortly before the end of a wait: the last try gets it.
$got = 0;
for ($i = 0; $i < 5; $i++) {
	$holder->isHeld() || $holder->acquire(10.0);
	$waiter = new Worker('$lock = (new RedisLock\Client($argument, prefix()))->lock("job", 60.0); $lock->acquire(); ready(); tell($lock->acquire(1.2) > 0 && $lock->release());', $quorum->dsns());
	start_together([$waiter]);
	usleep(900_000);
	$holder->release();
	$got += $waiter->hear() ? 1 : 0;
	$waiter->end();
}
between(4, 5, $got, 'given back 0.3 s before the end of a wait: the waiter gets it');
done();
?>
--EXPECT--
321 checks passed
