--TEST--
synchronized() in a generator, with exit and with warnings as exceptions
--DESCRIPTION--
A fatal error leaves memory to PHP's allocator. Under the sanitizers, which replace it, PHP has to keep account itself.
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--ENV--
USE_TRACKED_ALLOC=1
--FILE--
<?php
require __DIR__ . '/../include/process.inc';

$generator = (function () {
	yield client()->lock('job', 60.0)->synchronized(fn () => 'from a generator');
})();
same('from a generator', $generator->current(), 'in a generator');

set_error_handler(function (int $number, string $text) {
	throw new ErrorException($text, 0, $number);
});
throws(ErrorException::class, fn () => client()->lock('job', 60.0)->synchronized(fn () => $undefined), 'a warning made an exception', 'undefined');
restore_error_handler();
same(0, redis()->must('EXISTS', lock_key('job')), 'the lock is given back');

foreach (['exit(7);' => 7, 'throw new Exception("not caught");' => 255, 'undefined_function();' => 255, 'trigger_error("x", E_USER_ERROR);' => 255] as $code => $status) {
	$ended = run_php('client()->lock("job", 60.0)->synchronized(function () { ' . $code . ' });');
	same($status, $ended['status'], "$code ends the process");
	wait_until_free('job');
	same(0, redis()->must('EXISTS', lock_key('job')), "$code: the lock is given back");
}
done();
?>
--EXPECT--
11 checks passed
