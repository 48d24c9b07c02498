--TEST--
Methods of an object whose constructor did not finish
--EXTENSIONS--
redislock
--SKIPIF--
<?php require __DIR__ . '/../include/skipif.inc'; ?>
--FILE--
<?php
require __DIR__ . '/../include/shared.inc';

/** Gets hold of the object while its constructor reads its arguments. */
final class Thief
{
	public ?object $stolen = null;
	public array $during = [];

	public function __construct(private string $text, private array $calls)
	{
	}

	public function __toString(): string
	{
		foreach (debug_backtrace(DEBUG_BACKTRACE_PROVIDE_OBJECT) as $frame) {
			if (($frame['object'] ?? null) instanceof RedisLock || ($frame['object'] ?? null) instanceof RedisLock\Client) {
				$this->stolen = $frame['object'];
				foreach ($this->calls as $name => $arguments) {
					$this->during[$name] = outcome(fn () => $this->stolen->$name(...$arguments));
				}
			}
		}
		return $this->text;
	}
}
function outcome(callable $call): string
{
	try {
		return show($call());
	} catch (Throwable $thrown) {
		return get_class($thrown);
	}
}
$calls = [
	'acquire' => [], 'attach' => ['token'], 'renew' => [], 'release' => [], 'isHeld' => [], 'remaining' => [], 'fence' => [], 'token' => [],
	'synchronized' => [fn () => print("called\n")], 'detach' => [],
];
$thief = new Thief(str_repeat('too long', 1000), $calls);
throws(ValueError::class, fn () => new RedisLock($thief), 'the constructor fails');
check($thief->stolen instanceof RedisLock, 'the object was stolen');
foreach ($calls as $name => $arguments) {
	same('RedisLock\RedisLockError', $thief->during[$name], "$name() during the constructor");
	throws(RedisLock\RedisLockError::class, fn () => $thief->stolen->$name(...$arguments), "$name() after the constructor failed");
}
throws(Error::class, fn () => $thief->stolen->name, 'its name is not there', 'initial');
throws(Error::class, fn () => $thief->stolen->ttl, 'nor its lease', 'initial');
ob_start();
var_dump($thief->stolen);
print_r($thief->stolen);
var_export($thief->stolen);
json_encode($thief->stolen);
(array) $thief->stolen;
same(true, str_contains(ob_get_clean(), 'RedisLock'), 'it can be dumped');
throws(Throwable::class, fn () => clone $thief->stolen, 'but not cloned');
throws(Throwable::class, fn () => serialize($thief->stolen), 'nor serialized');
same(true, $thief->stolen == $thief->stolen, 'it can be compared');
$thief->stolen = null;
gc_collect_cycles();

$calls = ['lock' => ['job'], 'release' => ['job', 'token'], 'renew' => ['job', 'token', 1.0], 'inspect' => ['job'], 'forceRelease' => ['job'], 'initializeQuorum' => []];
$thief = new Thief('prefix:', $calls);
throws(ValueError::class, fn () => new RedisLock\Client('nonsense://', $thief), 'the constructor of the client fails');
check($thief->stolen instanceof RedisLock\Client, 'the client was stolen');
foreach ($calls as $name => $arguments) {
	same('RedisLock\RedisLockError', $thief->during[$name], "Client::$name() during the constructor");
	throws(RedisLock\RedisLockError::class, fn () => $thief->stolen->$name(...$arguments), "Client::$name() after the constructor failed");
}
throws(RedisLock\RedisLockError::class, fn () => new RedisLock('job', 30.0, $thief->stolen), 'a lock of such a client');
ob_start();
var_dump($thief->stolen);
print_r($thief->stolen);
var_export($thief->stolen);
same(true, str_contains(ob_get_clean(), 'Client'), 'it can be dumped');
$thief->stolen = null;

// PHP itself refuses this way to an object without its constructor.
foreach (['RedisLock', 'RedisLock\Client'] as $class) {
	throws(ReflectionException::class, fn () => (new ReflectionClass($class))->newInstanceWithoutConstructor(), "$class: newInstanceWithoutConstructor()");
}
done();
?>
--EXPECT--
46 checks passed
