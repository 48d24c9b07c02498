--TEST--
A lock is given back when its object is destroyed, unless autoRelease is off
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lock = client()->lock('job', 60.0);
$lock->acquire();
unset($lock);
wait_until_free('job');

$lock = client()->lock('job', 60.0);
$lock->acquire();
$lock = null;
wait_until_free('job');

(function () {
	$local = client()->lock('job', 60.0);
	$local->acquire();
})();
wait_until_free('job');

try {
	(function () {
		$local = client()->lock('job', 60.0);
		$local->acquire();
		throw new Exception('unwinding');
	})();
} catch (Exception $exception) {
	unset($exception);   // its trace may hold the lock
}
wait_until_free('job');
check(true, 'destroyed by unset, null, the end of a function, an exception');

$token = null;
$keep = client()->lock('job', 60.0, false);
$keep->acquire();
$before = lock_state('job');
unset($keep);
gc_collect_cycles();
// The next command on the same connection is answered after whatever the destructor may have sent.
same(true, client()->inspect('job')['held'], 'with autoRelease off it stays');
same($before, lock_state('job'), 'as it was');
same(true, client()->release('job', $before['value']), 'until somebody gives it back');

// What is no longer ours is not touched by a destructor.
$old = client()->lock('job', 60.0);
$old->acquire();
redis()->must('DEL', lock_key('job'));
$new = client()->lock('job', 60.0);
$new->acquire();
$before = lock_state('job');
unset($old);
same(true, client()->inspect('job')['held'], 'the lock of the new holder is there');
same($before, lock_state('job'), 'as it was');
$token = $new->detach();
unset($new);
same(true, client()->inspect('job')['held'], 'a detached lock stays, too');
same(true, client()->release('job', $token), 'until its token gives it back');

// One object after another on the same name, without a pause: the release goes before the next acquire.
for ($i = 0; $i < 500; $i++) {
	$lock = client()->lock('again', 60.0);
	if ($lock->acquire() === null) {
		echo "round $i: still held\n";
	}
	unset($lock);
}
wait_until_free('again');
done();
?>
--EXPECT--
8 checks passed
