--TEST--
After expiry and a take-over the old holder changes nothing
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

// The old holder knows that its lease is over, and then it does not: the key was taken away while its lease ran.
foreach (['by expiry', 'while the old holder believes in it'] as $how) {
	$old = client()->lock($how, $how === 'by expiry' ? 1.0 : 60.0);
	$fence = $old->acquire();
	$token = $old->token();
	if ($how === 'by expiry') {
		wait_until_free($how);
	} else {
		redis()->must('DEL', lock_key($how));
		same(true, $old->isHeld(), "$how: the old holder does not know yet");
	}
	$new = client()->lock($how, 60.0);
	$newer = $new->acquire();
	check($newer > $fence, "$how: the new holder has a larger fence", fence: $fence, newer: $newer);
	$before = lock_state($how);
	same($new->token(), $before['value'], "$how: the key holds the new token");

	same(false, $old->renew(), "$how: renew() is false");
	same($before, lock_state($how), "$how: value, expiry and fence are as before");
	same(false, $old->renew(3600.0), "$how: renew() with a lease is false");
	same(false, $old->release(), "$how: release() is false");
	same(false, $old->isHeld(), "$how: and the old holder knows now");
	same(false, client()->renew($how, $token, 3600.0), "$how: renew() by the old token is false");
	same(false, client()->release($how, $token), "$how: release() by the old token is false");
	same(null, client()->lock($how)->attach($token), "$how: attach() by the old token is null");
	$before['expires'] > 0 || print "no expiry\n";
	same($before, lock_state($how), "$how: value, expiry and fence are still as before");
	unset($old);
	same($before, lock_state($how), "$how: and after the old object is gone");
	same(true, $new->isHeld(), "$how: the new holder holds it");
	same(true, $new->release(), "$how: and can give it back");
}
done();
?>
--EXPECT--
29 checks passed
