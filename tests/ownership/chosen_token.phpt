--TEST--
Two workers with the same token of their own choice exclude each other
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$mine = client()->lock('job', 30.0);
$first = $mine->acquire(0.0, 'owner');
check($first > 0, 'taken');
same('owner', $mine->token(), 'token() is the chosen one');
same('owner', redis()->must('GET', lock_key('job')), 'the key holds it');

$worker = new Worker(<<<'PHP'
	$lock = client()->lock('job', 30.0);
	while (true) {
		tell(match (hear()) {
			'acquire' => $lock->acquire(0.0, 'owner'),
			'wait' => $lock->acquire(0.05, 'owner'),
			'release' => $lock->release(),
			'held' => $lock->isHeld(),
		});
	}
	PHP);
$before = lock_state('job');
same(null, $worker->ask('acquire'), 'another process with the same token does not get it');
same(null, $worker->ask('wait'), 'nor by waiting');
same(null, client()->lock('job', 30.0)->acquire(0.0, 'owner'), 'nor another object in this process');
same($before, lock_state('job'), 'they changed nothing');
same(false, $worker->ask('release'), 'who did not get it cannot release it');
same($before, lock_state('job'), 'and changes nothing by trying');

same(true, $mine->release(), 'the holder gives it back');
$second = $worker->ask('acquire');
check($second > $first, 'then the other one gets it, with a larger fence', first: $first, second: $second);
$before = lock_state('job');
same(null, $mine->acquire(0.0, 'owner'), 'now the first one does not');
same(false, $mine->release(), 'its release is false');
same($before, lock_state('job'), 'and changes nothing');

// One owner to the operations by token.
same(true, client()->renew('job', 'owner', 60.0), 'renew() by the token');
same(true, client()->release('job', 'owner'), 'release() by the token');
same(true, is_free('job'), 'the lock is free');

// A stale holder with the same token: the fence tells the two ownerships apart.
$stale = client()->lock('job', 60.0);
$stale->acquire(0.0, 'owner');
redis()->must('DEL', lock_key('job'));
$current = client()->lock('job', 60.0);
check($current->acquire(0.0, 'owner') > $stale->fence(), 'taken again by the same token');
$before = lock_state('job');
same(false, $stale->release(), 'the stale object cannot release the new ownership');
same($before, lock_state('job'), 'and changes nothing');
same(true, $current->release(), 'the new one can');
done();
?>
--EXPECT--
21 checks passed
