<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use Closure;
use PHPUnit\Framework\TestCase;
use RedisLock\Client;
use RedisLock\FailureException;
use RedisLock\Symfony\FencingLock;
use RedisLock\Symfony\LockFactory;
use RedisLock\Symfony\LockStore;
use RedisLock\Symfony\Tests\Support\Child;
use RedisLock\Symfony\Tests\Support\Eventually;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Lock\Exception\LockAcquiringException;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\LockFactory as SymfonyLockFactory;

/**
 * What people have reported to symfony/symfony, by the number there, and that it does not happen here. #61917 is about
 * Messenger: see MessengerTest.
 */
final class KnownComplaintsTest extends TestCase
{
	private Client $client;
	private LockFactory $factory;

	protected function setUp(): void
	{
		$this->client = Redis::shared()->client();
		$this->factory = new LockFactory(new LockStore($this->client));
	}

	private function lock(?float $ttl = 300.0): FencingLock
	{
		return $this->factory->createLock($this->name(), $ttl);
	}

	private function held(): bool
	{
		return $this->client->inspect($this->name())['held'];
	}

	/** #54942: acquire(true) waits for ever. Here it can be given a limit, for one call or for a store. */
	public function test54942AWaitHasALimit(): void
	{
		$holder = $this->lock();
		$holder->acquire();
		$this->assertFalse($this->lock()->acquireWithin(0.2));
		$stock = new SymfonyLockFactory(new LockStore($this->client, maxWait: 0.2));
		try {
			$stock->createLock($this->name())->acquire(true);
			$this->fail('it was held');
		} catch (LockConflictedException) {
		}
		$this->assertTrue($holder->isAcquired());
	}

	/** #54942: and a wait without a limit is not one for a Redis that is gone. */
	public function test54942AWaitEndsWithRedis(): void
	{
		$redis = new Redis();
		$holder = (new LockFactory(new LockStore($redis->client())))->createLock($this->name(), autoRelease: false);
		$holder->acquire();
		$child = Child::fork(function (Closure $listen, Closure $say) use ($redis): void {
			try {
				(new LockFactory(new LockStore($redis->client(timeout: 0.5, retryFor: 0.5))))->createLock($this->name())->acquire(true);
				$say('acquired');
			} catch (LockAcquiringException $exception) {
				// Whether the command had been sent when Redis died is a matter of chance.
				$say($exception->getPrevious()?->getPrevious() instanceof FailureException ? 'an outage' : (string) $exception);
			}
		});
		Eventually::true('it waits', fn () => $redis->client()->inspect($this->name())['waiters']);
		$redis->kill();
		$this->assertSame('an outage', $child->listen());
		$child->wait();
	}

	/** #40325: a forked child ends, its copy of the Lock is destroyed, and that releases the lock of the parent. */
	public function test40325AForkedChildReleasesNothing(): void
	{
		$lock = $this->lock();
		$lock->acquire();
		$child = Child::fork(function (Closure $listen, Closure $say) use ($lock): void {
			$say($lock->isAcquired() ? 'acquired' : 'not acquired');
			$say($lock->fence() === null ? 'no fence' : 'a fence');
			$lock->release();
			$say($lock->acquire() ? 'acquired' : 'not acquired');
			$say('destroyed');
		}, clean: true);
		$this->assertSame('not acquired', $child->listen());
		$this->assertSame('no fence', $child->listen());
		$this->assertSame('not acquired', $child->listen());
		$this->assertSame('destroyed', $child->listen());
		$child->wait();
		$this->assertTrue($this->held());
		$this->assertTrue($lock->isAcquired());
		$lock->refresh(400.0);
		$lock->release();
		$this->assertFalse($this->held());
	}

	/** #40325: a child that does nothing with it. */
	public function test40325AChildThatOnlyEnds(): void
	{
		$lock = $this->lock();
		$lock->acquire();
		$child = Child::fork(static function (Closure $listen, Closure $say) use ($lock): void {
		}, clean: true);
		$child->wait();
		$this->assertTrue($this->held());
		$this->assertTrue($lock->isAcquired());
	}

	/** #40325: the child can take the lock once the parent has given it back. */
	public function test40325TheChildCanHaveALockOfItsOwn(): void
	{
		$lock = $this->lock();
		$lock->acquire();
		$child = Child::fork(function (Closure $listen, Closure $say) use ($lock): void {
			$listen();
			$say($lock->acquire() ? 'acquired' : 'not acquired');
			$say((string) $lock->fence());
			$listen();
		});
		$fence = $lock->fence();
		$lock->release();
		$child->say('it is free');
		$this->assertSame('acquired', $child->listen());
		$this->assertGreaterThan($fence, (int) $child->listen());
		$this->assertFalse($lock->acquire());
		$child->say('end');
		$child->wait();
	}

	/** #38541: acquire, release, wait for longer than the TTL, acquire again: LockExpiredException. */
	public function test38541AcquireAgainAfterTheTtl(): void
	{
		$lock = $this->lock(0.6);
		for ($round = 0; $round < 2; $round++) {
			$this->assertTrue($lock->acquire());
			$lock->release();
			usleep(650_000);
		}
		$stock = (new SymfonyLockFactory(new LockStore($this->client)))->createLock($this->name(), 0.6);
		for ($round = 0; $round < 2; $round++) {
			$this->assertTrue($stock->acquire(true));
			$stock->release();
			usleep(650_000);
		}
	}

	/** #38541: the same when the lease ended by itself, nobody having released it. */
	public function test38541AcquireAgainAfterTheLeaseEnded(): void
	{
		$lock = $this->lock(0.6);
		$this->assertTrue($lock->acquire());
		$fence = $lock->fence();
		Eventually::true('the lease ends', fn () => !$this->held());
		$this->assertFalse($lock->isAcquired());
		$this->assertTrue($lock->acquire());
		$this->assertFalse($lock->isExpired());
		$this->assertGreaterThan($fence, $lock->fence());
	}

	/** #57970: another process that makes a Lock of the same name cannot release it, and nothing tells it so. */
	public function test57970OnlyTheOwnerReleases(): void
	{
		$owner = $this->lock();
		$owner->acquire();
		$log = new Support\Log();
		$store = new LockStore(Redis::shared()->client());
		$store->setLogger($log);
		(new LockFactory($store))->createLock($this->name())->release();
		$this->assertTrue($owner->isAcquired());
		$this->assertNotNull($log->first('is not released: this key does not hold it'));
	}

	/** #57970: what helps is to hand the Key over; then the other process can release it. */
	public function test57970TheKeyCanBeHandedOver(): void
	{
		$lock = $this->factory->createLock($this->name(), 300.0, false);
		$lock->acquire();
		$key = serialize($lock->key());
		$child = Child::fork(static function (Closure $listen, Closure $say) use ($key): void {
			$lock = (new LockFactory(new LockStore(Redis::shared()->client())))->createLockFromKey(unserialize($key));
			$say($lock->isAcquired() ? 'acquired' : 'not acquired');
			$lock->release();
			$say('released');
		});
		$this->assertSame('acquired', $child->listen());
		$this->assertSame('released', $child->listen());
		$child->wait();
		$this->assertFalse($this->held());
		$this->assertFalse($lock->isAcquired());
	}

	/** #57970: the worker that it was handed to dies. */
	public function test57970TheLeaseEndsWhatWasHandedOver(): void
	{
		$lock = $this->factory->createLock($this->name(), 3.0, false);
		$lock->acquire();
		$key = serialize($lock->key());
		$child = Child::fork(static function (Closure $listen, Closure $say) use ($key): void {
			$lock = (new LockFactory(new LockStore(Redis::shared()->client())))->createLockFromKey(unserialize($key), 3.0);
			$lock->acquire();
			$say('acquired');
			$listen();
		});
		$this->assertSame('acquired', $child->listen());
		posix_kill($child->pid, SIGKILL);
		$child->wait();
		$this->assertTrue($this->lock()->acquire(true));
	}
}
