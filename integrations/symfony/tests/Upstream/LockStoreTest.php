<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Upstream;

use RedisLock\Symfony\LockStore;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Tests\Store\AbstractStoreTestCase;
use Symfony\Component\Lock\Tests\Store\BlockingStoreTestTrait;
use Symfony\Component\Lock\Tests\Store\ExpiringStoreTestTrait;

/**
 * Symfony's own tests, unmodified. LockStoreWithoutHandOverTest has those of UnserializableTestTrait, which assert that the
 * keys cannot be handed to another process.
 */
final class LockStoreTest extends AbstractStoreTestCase
{
	use BlockingStoreTestTrait;
	use ExpiringStoreTestTrait;

	public static function setUpBeforeClass(): void
	{
		// One of them forks before it asks for the store.
		Redis::shared();
	}

	protected function getStore(): PersistingStoreInterface
	{
		return new LockStore(Redis::shared()->client());
	}

	protected function getClockDelay(): int
	{
		return 250000;
	}
}
