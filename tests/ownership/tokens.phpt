--TEST--
What a token may be
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$client = client();
foreach (['x', str_repeat('t', 255), "\0", "a\0b", "line\nbreak", "\r\n", ' ', '0', 'ü', "\xff\xfe", 'Handoff:1', 'handoff', ' handoff:1', '%s%n'] as $token) {
	$shown = json_encode(bin2hex(substr($token, 0, 16)));
	$lock = $client->lock('job', 30.0);
	check($lock->acquire(0.0, $token) > 0, "$shown: acquired");
	same($token, $lock->token(), "$shown: token()");
	same($token, redis()->must('GET', lock_key('job')), "$shown: the key holds it byte for byte");
	same($token, $client->inspect('job')['token'], "$shown: inspect() shows it");
	same(true, $client->renew('job', $token, 40.0), "$shown: renew() by it");
	same($token, $lock->detach(), "$shown: detach() returns it");
	check($lock->attach($token) > 0, "$shown: attach() by it");
	same(true, $lock->release(), "$shown: released");
}
$lock = $client->lock('job', 30.0);
foreach (['', str_repeat('t', 256), 'handoff:', 'handoff:1', 'handoff:' . str_repeat('9', 100)] as $token) {
	$shown = json_encode(substr($token, 0, 16));
	throws(ValueError::class, fn () => $lock->acquire(0.0, $token), "$shown: acquire()");
	if (strlen($token) !== 256) {
		throws(ValueError::class, fn () => $lock->attach($token), "$shown: attach()");
		throws(ValueError::class, fn () => $client->release('job', $token), "$shown: release()");
		throws(ValueError::class, fn () => $client->renew('job', $token, 30.0), "$shown: renew()");
	}
}
// Another library's token may be longer than ours, up to 65535 bytes.
$long = str_repeat('L', 65535);
redis()->must('SET', lock_key('job'), $long, 'PX', 60000);
same(true, $client->renew('job', $long, 70.0), 'renew() by a token of 65535 bytes');
check($lock->attach($long) > 0, 'attach() by it');
same($long, $lock->token(), 'token() is the whole of it');
same(true, $lock->release(), 'released');
throws(ValueError::class, fn () => $lock->attach($long . 'L'), 'one byte more: attach()');
same(0, redis()->must('EXISTS', lock_key('job')), 'nothing is left');
done();
?>
--EXPECT--
135 checks passed
