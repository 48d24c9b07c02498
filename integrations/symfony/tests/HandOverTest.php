<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests;

use PHPUnit\Framework\TestCase;
use RedisLock\Client;
use RedisLock\Symfony\LockFactory;
use RedisLock\Symfony\LockStore;
use RedisLock\Symfony\Tests\Support\Eventually;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Serializer\LockKeyNormalizer;
use Symfony\Component\Serializer\Encoder\JsonEncoder;
use Symfony\Component\Serializer\Serializer;

/** A Key goes to another process. Here that is another store with a connection of its own; MessengerTest has real ones. */
final class HandOverTest extends TestCase
{
	private Client $client;

	protected function setUp(): void
	{
		$this->client = Redis::shared()->client();
	}

	private function factory(): LockFactory
	{
		return new LockFactory(new LockStore(Redis::shared()->client()));
	}

	/** @return array{Key, int} a serialized and unserialized Key that holds the lock, and its fence */
	private function handedOver(float $ttl = 300.0): array
	{
		$lock = $this->factory()->createLock($this->name(), $ttl, false);
		$this->assertTrue($lock->acquire());
		return [unserialize(serialize($lock->key())), (int) $lock->fence()];
	}

	private function held(): bool
	{
		return $this->client->inspect($this->name())['held'];
	}

	public function testTheOtherOneOwnsIt(): void
	{
		[$key, $fence] = $this->handedOver();
		$lock = $this->factory()->createLockFromKey($key);
		$this->assertTrue($lock->isAcquired());
		$this->assertSame($fence, $lock->fence());
		$this->assertGreaterThan(290.0, $lock->getRemainingLifetime());
		$this->assertFalse($this->factory()->createLock($this->name())->acquire());
		$lock->refresh(500.0);
		$this->assertGreaterThan(490.0, $this->client->inspect($this->name())['remaining']);
		$lock->release();
		$this->assertFalse($this->held());
		$this->assertFalse($lock->isAcquired());
	}

	/** Who acquires it takes over: the fence is larger, and the database refuses what the first one still writes. */
	public function testAcquireTakesOver(): void
	{
		[$key, $fence] = $this->handedOver();
		$lock = $this->factory()->createLockFromKey($key, 600.0);
		$this->assertTrue($lock->acquire());
		$this->assertGreaterThan($fence, $lock->fence());
		$this->assertGreaterThan(590.0, $this->client->inspect($this->name())['remaining']);
		// And can hand it over again.
		$next = $this->factory()->createLockFromKey(unserialize(serialize($lock->key())));
		$this->assertTrue($next->isAcquired());
		$this->assertSame($lock->fence(), $next->fence());
		$next->release();
		$this->assertFalse($lock->isAcquired());
	}

	public function testTheEndOfTheFirstOneDoesNotReleaseIt(): void
	{
		[$key] = $this->handedOver();
		gc_collect_cycles();
		$this->assertTrue($this->held());
		$this->assertTrue($this->factory()->createLockFromKey($key)->isAcquired());
	}

	public function testALeaseThatIsOver(): void
	{
		[$key, $fence] = $this->handedOver(0.6);
		Eventually::true('the lease ends', fn () => !$this->held());
		$lock = $this->factory()->createLockFromKey($key);
		$this->assertFalse($lock->isAcquired());
		$this->assertTrue($lock->isExpired());
		$this->assertTrue($lock->acquire(), 'nobody else has it');
		$this->assertGreaterThan($fence, $lock->fence());
	}

	public function testSomebodyElseHasItMeanwhile(): void
	{
		[$key] = $this->handedOver();
		$this->client->forceRelease($this->name());
		$other = $this->factory()->createLock($this->name());
		$other->acquire();
		$lock = $this->factory()->createLockFromKey($key, autoRelease: false);
		$this->assertFalse($lock->isAcquired());
		$lock->release();
		$this->assertTrue($other->isAcquired());
		$this->assertFalse($this->factory()->createLockFromKey($key)->acquire());
		$this->expectException(LockConflictedException::class);
		$this->factory()->createLockFromKey($key)->refresh();
	}

	/** As Messenger does it with its Symfony serializer. */
	public function testAsJson(): void
	{
		if (!class_exists(LockKeyNormalizer::class)) {
			$this->assertTrue(true, 'Symfony before 7.4 has no normalizer for keys');
			return;
		}
		$lock = $this->factory()->createLock($this->name(), 300.0, false);
		$lock->acquire();
		$serializer = new Serializer([new LockKeyNormalizer()], [new JsonEncoder()]);
		$key = $serializer->deserialize($serializer->serialize($lock->key(), 'json'), Key::class, 'json');
		$other = $this->factory()->createLockFromKey($key);
		$this->assertTrue($other->isAcquired());
		$this->assertSame($lock->fence(), $other->fence());
	}
}
