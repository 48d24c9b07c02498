<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use RedisLock\Client;
use RedisLock\Symfony\FencingLock;
use RedisLock\Symfony\LockFactory;
use RedisLock\Symfony\LockStore;
use RedisLock\Symfony\Tests\Support\Log;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Lock\Exception\InvalidTtlException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\LockFactory as SymfonyLockFactory;

/** Symfony's Lock on our store, as an application uses it. */
final class FencingLockTest extends TestCase
{
	private Client $client;
	private LockFactory $factory;

	protected function setUp(): void
	{
		$this->client = Redis::shared()->client();
		$this->factory = new LockFactory(new LockStore($this->client));
	}

	private function lock(?float $ttl = 300.0, bool $autoRelease = true): FencingLock
	{
		return $this->factory->createLock($this->name(), $ttl, $autoRelease);
	}

	public function testFence(): void
	{
		$lock = $this->lock();
		$this->assertNull($lock->fence());
		$this->assertTrue($lock->acquire());
		$first = $lock->fence();
		$this->assertSame($this->client->inspect($this->name())['fence'], $first);
		$lock->release();
		$this->assertTrue($lock->acquire());
		$this->assertGreaterThan($first, $lock->fence());
	}

	public function testItIsSymfonysLock(): void
	{
		[$one, $two] = [$this->lock(), $this->lock()];
		$this->assertTrue($one->acquire());
		$this->assertTrue($one->acquire(), 'a lock that is held can be acquired again');
		$this->assertTrue($one->isAcquired());
		$this->assertFalse($one->isExpired());
		$this->assertFalse($two->acquire());
		$this->assertFalse($two->acquireRead(), 'there are no shared locks');
		$this->assertFalse($two->isAcquired());
		$one->refresh(600.0);
		$this->assertGreaterThan(590.0, $one->getRemainingLifetime());
		$one->release();
		$this->assertFalse($one->isAcquired());
		$this->assertTrue($two->acquire());
	}

	/** What Redis holds after a crash must not be the store's initial TTL of 300 seconds. */
	public function testTheLeaseIsTheOneOfTheLock(): void
	{
		$lock = $this->lock(7.0);
		$lock->acquire();
		$remaining = $this->client->inspect($this->name())['remaining'];
		$this->assertGreaterThan(6.0, $remaining);
		$this->assertLessThanOrEqual(7.0, $remaining);
		$this->assertLessThanOrEqual(7.0, $lock->getRemainingLifetime());
	}

	public function testALockWithoutATtlHasALeaseAllTheSame(): void
	{
		$lock = $this->lock(null);
		$lock->acquire();
		$this->assertEqualsWithDelta(300.0, $this->client->inspect($this->name())['remaining'], 5.0);
	}

	public function testSymfonysOwnFactory(): void
	{
		$lock = (new SymfonyLockFactory(new LockStore($this->client)))->createLock($this->name(), 7.0);
		$this->assertTrue($lock->acquire());
		$this->assertLessThanOrEqual(7.0, $lock->getRemainingLifetime());
		$this->assertTrue($lock->isAcquired());
		$lock->release();
		$this->assertFalse($this->client->inspect($this->name())['held']);
	}

	public function testAutoRelease(): void
	{
		$lock = $this->lock();
		$lock->acquire();
		unset($lock);
		$this->assertFalse($this->client->inspect($this->name())['held']);
		$lock = $this->lock(autoRelease: false);
		$lock->acquire();
		unset($lock);
		$this->assertTrue($this->client->inspect($this->name())['held']);
	}

	public function testAcquireWithin(): void
	{
		[$one, $two] = [$this->lock(), $this->lock()];
		$this->assertTrue($one->acquireWithin(0.0));
		$began = hrtime(true);
		$this->assertFalse($two->acquireWithin(0.3));
		$this->assertGreaterThan(0.29, (hrtime(true) - $began) / 1e9);
		$one->release();
		$this->assertTrue($two->acquireWithin(0.3));
	}

	public function testTheLimitOfOneCallIsNotThatOfTheNext(): void
	{
		$factory = new LockFactory(new LockStore($this->client, maxWait: 0.1));
		[$one, $two] = [$this->lock(), $factory->createLock($this->name())];
		$one->acquire();
		$this->assertFalse($two->acquireWithin(0.0));
		$this->expectException(LockConflictedException::class);
		$two->acquire(true);
	}

	/** Acquire and release are three round trips with Symfony's store, or four. */
	public function testRoundTrips(): void
	{
		$commands = function (callable $work): int {
			$count = static fn () => (int) preg_match_all('/^cmdstat_(?:evalsha|eval):calls=(\d+)/m', Redis::shared()->command('INFO', 'commandstats'), $found)
				? array_sum(array_map(intval(...), $found[1])) : 0;
			$before = $count();
			$work();
			return $count() - $before;
		};
		$lock = $this->lock();
		// The refresh is left out only if it comes at once, and the machine may be busy.
		$least = 99;
		for ($try = 0; $try < 50 && $least > 1; $try++) {
			$least = min($least, $commands(fn () => $lock->acquire()));
			$this->assertSame(1, $commands(fn () => $lock->refresh(400.0)));
			$this->assertSame(1, $commands(fn () => $lock->release()));
			$this->assertSame(0, $commands(fn () => $lock->isAcquired()));
		}
		$this->assertSame(1, $least);
	}

	public function testARefreshWhichIsNotTheFirstIsSent(): void
	{
		$lock = $this->lock(20.0);
		$lock->acquire();
		usleep(500_000);
		$before = $this->client->inspect($this->name())['remaining'];
		$lock->refresh();
		$this->assertGreaterThan($before, $this->client->inspect($this->name())['remaining']);
		$this->assertTrue($lock->isAcquired());
	}

	public function testTheLoggerReachesTheLock(): void
	{
		$log = new Log();
		$this->factory->setLogger($log);
		$this->lock()->acquire();
		$this->assertNotNull($log->first('Successfully acquired'));
	}

	public function testAnImpossibleTtl(): void
	{
		$this->expectException(InvalidTtlException::class);
		$this->lock(-1.0);
	}
}
