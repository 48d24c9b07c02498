--TEST--
A lock is handed over from one process to another
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$lock = client()->lock('job', 60.0);
$first = $lock->acquire();
$before = lock_state('job');
$token = $lock->token();
same($token, $lock->detach(), 'detach() returns the token');
same($before, lock_state('job'), 'and leaves the lock as it is');
same([false, 0.0, null, $first], [$lock->isHeld(), $lock->remaining(), $lock->token(), $lock->fence()], 'the object holds nothing any more');
same(false, $lock->release(), 'it has nothing to release');
same(false, $lock->renew(), 'and nothing to renew');
throws(RedisLock\RedisLockError::class, fn () => $lock->detach(), 'and nothing to detach');
same($before, lock_state('job'), 'none of which changed anything');

$worker = new Worker(<<<'PHP'
	$lock = client()->lock('job', 60.0);
	while (true) {
		[$what, $token] = hear();
		tell(match ($what) {
			'attach' => $lock->attach($token),
			'state' => [$lock->isHeld(), $lock->token(), $lock->fence(), $lock->remaining() > 50.0],
			'renew' => $lock->renew(120.0),
			'detach' => $lock->detach(),
			'release' => $lock->release(),
		});
	}
	PHP);
same(null, $worker->ask(['attach', 'not the token']), 'attach() with another token is null');
same($before, lock_state('job'), 'and changes nothing');
same([false, null, null, false], $worker->ask(['state', null]), 'nothing is held');
$second = $worker->ask(['attach', $token]);
check($second > $first, 'attach() gives a new, larger fence', first: $first, second: $second);
same([true, $token, $second, true], $worker->ask(['state', null]), 'the worker holds it, with what is left of the lease');
$after = lock_state('job');
same([$before['value'], $before['expires'], (string) $second], array_values($after), 'value and end of the lease are as before, the fence is new');
same(null, client()->lock('job')->acquire(), 'others find it held');
same(true, $worker->ask(['renew', null]), 'the worker can renew it');

same($token, $worker->ask(['detach', null]), 'and hand it back');
$third = $lock->attach($token);
check($third > $second, 'again with a larger fence', second: $second, third: $third);
same(true, $lock->release(), 'and it can be released');
same(null, $worker->ask(['attach', $token]), 'then the token holds nothing any more');
same(0, redis()->must('EXISTS', lock_key('job')), 'and nothing was made anew');
done();
?>
--EXPECT--
20 checks passed
