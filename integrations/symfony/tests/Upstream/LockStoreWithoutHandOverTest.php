<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Upstream;

use RedisLock\Symfony\LockStore;
use RedisLock\Symfony\Tests\Support\Redis;
use Symfony\Component\Lock\PersistingStoreInterface;
use Symfony\Component\Lock\Tests\Store\AbstractStoreTestCase;
use Symfony\Component\Lock\Tests\Store\UnserializableTestTrait;

/** The same for a store whose keys stay in their process. */
final class LockStoreWithoutHandOverTest extends AbstractStoreTestCase
{
	use UnserializableTestTrait;

	protected function getStore(): PersistingStoreInterface
	{
		return new LockStore(Redis::shared()->client(), handOver: false);
	}
}
