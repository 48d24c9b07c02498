--TEST--
synchronized(): result, arguments, exceptions, contention
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$lock = client()->lock('job', 30.0);
foreach ([null, 0, '', false, 1.5, 'text', [1, [2]], new ArrayObject([1])] as $value) {
	same($value, $lock->synchronized(fn () => $value), 'the result is what the callback returns: ' . get_debug_type($value));
	same(false, $lock->isHeld(), 'and the lock is given back');
}
$last = $lock->fence();
$lock->synchronized(function (...$arguments) use ($lock, $last) {
	same(2, count($arguments), 'the callback gets two arguments');
	check($arguments[0] > $last, 'the fence, which is new', last: $last, fence: $arguments[0]);
	same($lock, $arguments[1], 'and the lock');
	same([true, $arguments[0]], [$lock->isHeld(), $lock->fence()], 'which is held');
	same($lock->token(), redis()->must('GET', lock_key('job')), 'also in Redis');
	same(null, client()->lock('job')->acquire(), 'others do not get it');
	same(true, $lock->renew(60.0), 'it can be renewed');
});
same(0, redis()->must('EXISTS', lock_key('job')), 'it is given back');

// Any callable.
final class Handler
{
	public function handle(int $fence, RedisLock $lock): string { return 'method'; }
	public static function handleAll(): string { return 'static'; }
	public function __invoke(): string { return 'invoked'; }
	public function __call(string $name, array $arguments): string { return "$name " . count($arguments); }
}
same('method', $lock->synchronized([new Handler(), 'handle']), 'a method');
same('static', $lock->synchronized('Handler::handleAll'), 'a static method');
same('invoked', $lock->synchronized(new Handler()), 'an invokable object');
same('magic 2', $lock->synchronized([new Handler(), 'magic']), 'a magic method');
same('method', $lock->synchronized((new Handler())->handle(...)), 'a first-class callable');
same(1, $lock->synchronized(fn () => yield 1)->current(), 'a generator is a result like any other');
same(5, $lock->synchronized(fn (int $fence, RedisLock $lock, int $more = 5) => $more), 'a further parameter with a default');
same($lock, $lock->synchronized(fn (int $fence, RedisLock $lock) => $lock), 'the lock as result');

// An exception comes through unchanged, the lock is given back.
$thrown = new DomainException('mine', 42, new LogicException('cause'));
same($thrown, throws(DomainException::class, fn () => $lock->synchronized(fn () => throw $thrown), 'an exception', 'mine'), 'is the same object');
same(['mine', 42, 'cause'], [$thrown->getMessage(), $thrown->getCode(), $thrown->getPrevious()->getMessage()], 'and unchanged');
same(true, is_free('job'), 'the lock is given back');
throws(TypeError::class, fn () => $lock->synchronized(fn (string $fence, int $lock) => 1), 'wrong parameters of the callback');
throws(ArgumentCountError::class, fn () => $lock->synchronized(fn ($a, $b, $c) => 1), 'too many parameters of the callback');
throws(Error::class, fn () => $lock->synchronized(fn () => undefined_function()), 'an error');
same([false, true], [$lock->isHeld(), is_free('job')], 'the lock is given back each time');

// Not acquired: the callback is not called.
$holder = client()->lock('job', 60.0);
$holder->acquire();
$before = lock_state('job');
$called = 0;
$refused = throws(RedisLock\NotAcquiredException::class, function () use ($lock, &$called) {
	$lock->synchronized(function () use (&$called) { $called++; });
}, 'held by somebody else');
check($refused instanceof RedisLock\RedisLockException && !$refused instanceof RedisLock\FailureException, 'contention is not a failure');
$begin = hrtime(true);
throws(RedisLock\NotAcquiredException::class, function () use ($lock, &$called) {
	$lock->synchronized(function () use (&$called) { $called++; }, 0.2);
}, 'to the end of the wait');
between(0.2, 60.0, (hrtime(true) - $begin) / 1e9, 'the wait was waited');
same(0, $called, 'the callback was never called');
same($before, lock_state('job'), 'the holder did not notice');
$holder->release();
same('late', $lock->synchronized(fn () => 'late', 10.0), 'then it works');

// One within another, on another name; and on the same one it is contention like from anywhere else.
same('inner', $lock->synchronized(fn () => client()->lock('other', 30.0)->synchronized(fn () => 'inner')), 'two locks');
throws(RedisLock\NotAcquiredException::class, fn () => $lock->synchronized(fn () => client()->lock('job')->synchronized(fn () => 1)), 'the same name within itself');
throws(RedisLock\RedisLockError::class, fn () => $lock->synchronized(fn () => $lock->synchronized(fn () => 1)), 'the same object within itself');
same([true, true], [is_free('job'), is_free('other')], 'everything is given back');
done();
?>
--EXPECT--
51 checks passed
