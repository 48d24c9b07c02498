--TEST--
A constructor that is called again, before, during and after
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

$client = client();
$lock = $client->lock('job', 30.0);
$fence = $lock->acquire();
$before = lock_state('job');
throws(Error::class, fn () => $lock->__construct('other', 1.0), 'lock: a second call');
throws(Error::class, fn () => $lock->__construct('job', 30.0, $client), 'lock: with the same arguments');
throws(Throwable::class, fn () => $lock->__construct('', 30.0), 'lock: with wrong arguments');
throws(Error::class, fn () => $client->__construct('redis://127.0.0.1:1'), 'client: a second call');
throws(Throwable::class, fn () => $client->__construct('nonsense'), 'client: with wrong arguments');
same(['job', 30.0, true, $fence], [$lock->name, $lock->ttl, $lock->isHeld(), $lock->fence()], 'the lock is what it was');
same($before, lock_state('job'), 'also in Redis');
same(true, $client->inspect('job')['held'], 'the client is what it was');
same(true, $lock->release(), 'the lock can be released');

// While the constructor reads its arguments it can call code of ours, which finds the half-made object in the trace.
final class Reenter
{
	public ?object $object = null;

	public function __construct(private Closure $do, private string $text)
	{
	}

	public function __toString(): string
	{
		foreach (debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT) as $frame) {
			$object = $frame['object'] ?? null;
			if ($object instanceof RedisLock || $object instanceof RedisLock\Client) {
				$this->object = $object;
				($this->do)($object);
			}
		}
		return $this->text;
	}
}
$inner = new Reenter(fn ($object) => $object->__construct('inner', 5.0, client()), 'outer');
throws(Error::class, fn () => new RedisLock($inner, 30.0, client()), 'lock: called again from within');
same('inner', $inner->object?->name, 'the first one to finish made it');
check($inner->object->acquire() > 0, 'and it works');
same(true, $inner->object->release(), 'to the end');

$inner = new Reenter(fn ($object) => $object->__construct(shared_dsn(), 'inner:'), 'outer:');
throws(Error::class, fn () => new RedisLock\Client(shared_dsn(), $inner), 'client: called again from within');
$lock = $inner->object->lock('job');
check($lock->acquire() > 0, 'the first one to finish made it, and it works');
$lock->release();
done();
?>
--EXPECT--
15 checks passed
