--TEST--
SCRIPT FLUSH between any two calls, and at any moment, is not noticed
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$server = RedisServer::start();
$redis = $server->connect();
$client = $server->client();
$flush = fn () => $redis->must('SCRIPT', 'FLUSH');

$lock = $client->lock('job', 30.0);
$flush();
$first = $lock->acquire();
check($first > 0, 'acquire()');
$flush();
same(null, $client->lock('job')->acquire(), 'contention');
$flush();
same(true, $lock->renew(), 'renew()');
$flush();
same(true, $client->inspect('job')['held'], 'inspect()');
$flush();
same(true, $client->renew('job', $lock->token(), 30.0), 'renew() of the client');
$token = $lock->detach();
$flush();
$second = $lock->attach($token);
check($second > $first, 'attach() has a larger fence', first: $first, second: $second);
$flush();
same(true, $lock->release(), 'release()');
$flush();
$third = $lock->acquire();
check($third > $second, 'acquire() has a larger fence', second: $second, third: $third);
$flush();
same(true, $client->release('job', $lock->token()), 'release() of the client');
$lock->release();
$lock->acquire();
$flush();
same(true, $client->forceRelease('job'), 'forceRelease()');
$flush();
same(false, $lock->release(), 'nothing is left to release');

// Any moment: a worker that never stops, and a flush as often as the server takes one.
$worker = new Worker(<<<'PHP'
	$lock = (new RedisLock\Client($argument, 'test:'))->lock('busy', 30.0);
	$last = $cycles = 0;
	tell('begins');
	stream_set_blocking(STDIN, false);
	while (fgets(STDIN) === false) {
		$fence = $lock->acquire();
		$renewed = $lock->renew();
		$released = $lock->release();
		if ($fence <= $last || !$renewed || !$released) {
			tell([$last, $fence, $renewed, $released]);
			exit(1);
		}
		$last = $fence;
		$cycles++;
	}
	tell($cycles);
	PHP, $server->dsn());
same('begins', $worker->hear(), 'the worker begins');
for ($i = 0; $i < 2000; $i++) {
	$flush();
}
$cycles = $worker->ask('stop');
check(is_int($cycles) && $cycles > 100, 'the worker took the lock again and again and nothing was wrong', cycles: $cycles);
check($redis->calls()['eval'] > 100, 'scripts had to be sent whole, again and again', calls: $redis->calls());
same(['output' => '', 'status' => 0], $worker->end(), 'the worker ends well');
done();
?>
--EXPECT--
15 checks passed
