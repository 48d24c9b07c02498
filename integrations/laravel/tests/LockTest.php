<?php
declare(strict_types=1);

namespace RedisLock\Laravel\Tests;

use Exception;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Support\Facades\Cache;
use InvalidArgumentException;
use PHPUnit\Framework\Attributes\DataProvider;
use RedisLock\Laravel\Tests\Support\ApplicationTestCase;

/** Cache::lock(), as Laravel's documentation describes it. */
final class LockTest extends ApplicationTestCase
{
	#[DataProvider('clients')]
	public function testGetAndRelease(string $client): void
	{
		$this->useClient($client);
		$lock = Cache::lock('a', 10);
		$this->assertTrue($lock->get());
		$this->assertFalse(Cache::lock('a', 10)->get());
		$this->assertTrue($lock->release());
		$this->assertFalse($lock->release());
		$this->assertTrue(Cache::lock('a', 10)->get());
	}

	public function testWithACallback(): void
	{
		$this->assertSame('result', Cache::lock('a', 10)->get(function () {
			$this->assertFalse(Cache::lock('a', 10)->get(fn () => $this->fail('called without the lock')));
			return 'result';
		}));
		$this->assertSame('result', Cache::lock('a', 10)->block(1, fn () => 'result'));
		foreach (['get', 'block'] as $method) {
			try {
				Cache::lock('a', 10)->$method(...($method === 'get' ? [] : [1]), ...[fn () => throw new Exception('of the callback')]);
				$this->fail('the exception is lost');
			} catch (Exception $exception) {
				$this->assertSame('of the callback', $exception->getMessage());
			}
		}
		$this->assertTrue(Cache::lock('a', 10)->get());
	}

	/** An object that has the lock is a holder like any other, and asking again must not cost it the lock. */
	public function testTheSameObjectTwice(): void
	{
		$lock = Cache::lock('a', 10);
		$this->assertTrue($lock->get());
		$fence = $lock->fence();
		$this->assertFalse($lock->get());
		try {
			$lock->block(0);
			$this->fail('got it twice');
		} catch (LockTimeoutException) {
		}
		$this->assertSame($fence, $lock->fence());
		$this->assertTrue($lock->release());
		$this->assertFalse($this->redis()->get($this->key('a')));
		$this->assertTrue($lock->get());
		$this->assertGreaterThan($fence, $lock->fence());
	}

	public function testTheFenceGrows(): void
	{
		$last = 0;
		foreach (range(1, 3) as $round) {
			$lock = Cache::lock('a', 10);
			$this->assertNull($lock->fence());
			$lock->get();
			$this->assertGreaterThan($last, $lock->fence());
			$last = $lock->fence();
			$round === 1 ? $lock->forceRelease() : $lock->release();
		}
	}

	public function testItStaysHeldWhenTheObjectIsGone(): void
	{
		Cache::lock('a', 10)->get();
		gc_collect_cycles();
		$this->assertFalse(Cache::lock('a', 10)->get());
	}

	#[DataProvider('clients')]
	public function testHandingOverByOwner(string $client): void
	{
		$this->useClient($client);
		$lock = Cache::lock('a', 10);
		$lock->get();
		$owner = $lock->owner();
		$this->assertSame($owner, $this->redis()->get($this->key('a')));
		$this->assertFalse(Cache::restoreLock('a', 'other')->release());
		$this->assertFalse(Cache::restoreLock('a', 'other')->isOwnedByCurrentProcess());
		$this->assertFalse(Cache::restoreLock('a', 'other')->refresh(20));
		$restored = Cache::restoreLock('a', $owner);
		$this->assertTrue($restored->isOwnedByCurrentProcess());
		$this->assertTrue($restored->refresh(20));
		$this->assertTrue($restored->release());
		$this->assertFalse($restored->release());
		$this->assertTrue(Cache::lock('a', 10)->get());
		$this->assertFalse($lock->release(), 'released what another one holds');
	}

	public function testIsOwnedBy(): void
	{
		$lock = Cache::lock('a', 10);
		$this->assertTrue($lock->isOwnedBy(null));
		$this->assertFalse($lock->isOwnedByCurrentProcess());
		$lock->get();
		$this->assertTrue($lock->isOwnedBy($lock->owner()));
		$this->assertFalse($lock->isOwnedBy(null));
		$this->assertTrue($lock->isOwnedByCurrentProcess());
		$this->assertFalse(Cache::lock('a', 10)->isOwnedByCurrentProcess());
		$lock->forceRelease();
		$this->assertFalse($lock->isOwnedByCurrentProcess());
	}

	/** Laravel's lock has its owner from the start. Code that asks early must be able to rely on the answer. */
	public function testTheOwnerBeforeAndAfter(): void
	{
		$lock = Cache::lock('a', 10);
		$owner = $lock->owner();
		$lock->get();
		$this->assertSame($owner, $lock->owner());
		$this->assertSame($owner, $this->redis()->get($this->key('a')));
		$this->assertTrue(Cache::restoreLock('a', $owner)->release());

		$lock = Cache::lock('b', 10);
		$lock->get();
		$owner = $lock->owner();
		$lock->release();
		$lock->get();
		$this->assertSame($owner, $lock->owner());
		$this->assertTrue(Cache::restoreLock('b', $owner)->release());

		// One that nobody has asked for is new every time, which is what makes repeats after a lost answer safe.
		$lock = Cache::lock('c', 10);
		$lock->get();
		$first = $this->redis()->get($this->key('c'));
		$lock->release();
		$lock->get();
		$this->assertNotSame($first, $this->redis()->get($this->key('c')));
	}

	public function testAnOwnerOfTheCaller(): void
	{
		$lock = Cache::lock('a', 10, 'me');
		$this->assertTrue($lock->get());
		$this->assertSame('me', $lock->owner());
		$this->assertFalse(Cache::lock('a', 10, 'me')->get());
		$this->assertTrue(Cache::lock('a', 10, 'me')->release());
		$this->assertFalse($lock->release());
	}

	public function testForceRelease(): void
	{
		$lock = Cache::lock('a', 10);
		$lock->get();
		Cache::lock('a')->forceRelease();
		$this->assertFalse($lock->release());
		$this->assertFalse($lock->refresh());
		$this->assertTrue(Cache::lock('a', 10)->get());
	}

	public function testALeaseThatIsOver(): void
	{
		$lock = Cache::lock('a', 1);
		$lock->get();
		// Waits for the end of the lease, and not for a time.
		$next = Cache::lock('a', 10);
		$this->assertTrue($next->block(30));
		$this->assertFalse($lock->release());
		$this->assertFalse($lock->refresh(10));
		$this->assertTrue($next->isOwnedByCurrentProcess());
	}

	public function testRefresh(): void
	{
		$lock = Cache::lock('a', 10);
		$this->assertFalse($lock->refresh());
		$lock->get();
		$this->assertTrue($lock->refresh(1000));
		$this->assertGreaterThan(900_000, $this->redis()->pttl($this->key('a')));
		$this->assertTrue($lock->refresh(1), 'a lease is never shortened');
		$this->assertGreaterThan(900_000, $this->redis()->pttl($this->key('a')));
	}

	public function testThereIsAlwaysALease(): void
	{
		$ttl = fn (string $name) => $this->redis()->pttl($this->key($name)) / 1000;
		foreach (['zero' => 0, 'negative' => -5, 'none' => null] as $name => $seconds) {
			$seconds === null ? Cache::lock($name)->get() : Cache::lock($name, $seconds)->get();
			$this->assertEqualsWithDelta(86400, $ttl($name), 300);
		}
		Cache::lock('long', PHP_INT_MAX)->get();
		$this->assertEqualsWithDelta(\RedisLock::MAX_TTL, $ttl('long'), 300);
		Cache::lock('a', 10)->get();
		$lock = Cache::lock('b', 10);
		$lock->get();
		$lock->refresh(0);
		$this->assertEqualsWithDelta(86400, $ttl('b'), 300);
		Cache::lock('fraction', 0.25)->get();
		$this->assertLessThanOrEqual(1, $ttl('fraction'));

		config(['redislock.forever' => 7200, 'cache.stores.own' => ['driver' => 'redislock', 'forever' => 3600, 'prefix' => "$this->id:"]]);
		Cache::purge('redislock');
		Cache::lock('set')->get();
		$this->assertEqualsWithDelta(7200, $ttl('set'), 300);
		Cache::store('own')->lock('own')->get();
		$this->assertEqualsWithDelta(3600, $ttl('own'), 300);
	}

	/** @return array<string, array{mixed}> */
	public static function wrongMaximums(): array
	{
		return ['zero' => [0], 'text' => ['a day'], 'nothing' => [null], 'too long' => [2678401], 'for ever' => [INF], 'not a number' => [NAN]];
	}

	#[DataProvider('wrongMaximums')]
	public function testAMaximumThatIsNone(mixed $seconds): void
	{
		config(['redislock.forever' => $seconds]);
		$this->expectException(InvalidArgumentException::class);
		$this->expectExceptionMessage('redislock.forever');
		Cache::lock('a');
	}

	public function testNamesThatCannotBeOne(): void
	{
		foreach (['', str_repeat('a', 1025), 'a}:redislock:b'] as $name) {
			try {
				Cache::lock($name, 10)->get();
				$this->fail("took the name $name");
			} catch (InvalidArgumentException $exception) {
				$this->assertNotSame('', $exception->getMessage());
			}
		}
		try {
			Cache::lock('a', 10, '');
			$this->fail('took an empty owner');
		} catch (InvalidArgumentException) {
		}
		foreach ([str_repeat('a', 256), 'handoff:1'] as $owner) {
			try {
				Cache::lock('a', 10, $owner)->get();
				$this->fail("took the owner $owner");
			} catch (InvalidArgumentException) {
				$this->assertSame(0, $this->redis()->exists($this->key('a')));
			}
		}
		try {
			Cache::restoreLock('a', 'handoff:1')->release();
			$this->fail('took an owner that is none');
		} catch (InvalidArgumentException) {
		}
		foreach (["zero\0byte", 'ä {tag} *', str_repeat('a', 1024)] as $name) {
			$this->assertTrue(Cache::lock($name, 10)->get());
			$this->assertFalse(Cache::lock($name, 10)->get());
		}
	}

	public function testWaitingInVain(): void
	{
		Cache::lock('a', 100)->get();
		try {
			Cache::lock('a', 10)->block(1);
			$this->fail('got it');
		} catch (LockTimeoutException $exception) {
			$this->assertStringContainsString('"a"', $exception->getMessage());
		}
	}

	/** A child that ends must not free what its parent holds, not even by the `finally` of a callback. */
	public function testAChildDoesNotReleaseTheLockOfItsParent(): void
	{
		$lock = Cache::lock('a', 100);
		$lock->get();
		$lock->owner();
		$child = pcntl_fork();
		if ($child === 0) {
			$released = $lock->release();
			// Without PHPUnit's shutdown functions.
			posix_kill(posix_getpid(), $released ? SIGTERM : SIGKILL);
		}
		pcntl_waitpid($child, $status);
		$this->assertSame(SIGKILL, pcntl_wtermsig($status), 'the child has released it');
		$this->assertTrue($lock->isOwnedByCurrentProcess());
		$this->assertTrue($lock->release());
	}
}
