<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\LockFactory as SymfonyLockFactory;

/**
 * Symfony's LockFactory for a LockStore. Its locks have a fence, and they are taken with their own TTL from the start.
 * (Symfony's factory takes them with the store's initial TTL first and shortens it afterwards. In Redis a lease is never
 * shortened: after a crash such a lock would be free only when the initial TTL is over.)
 */
class LockFactory extends SymfonyLockFactory
{
	public function __construct(private readonly LockStore $lockStore)
	{
		parent::__construct($lockStore);
	}

	public function createLock(string $resource, ?float $ttl = 300.0, bool $autoRelease = true): FencingLock
	{
		return $this->createLockFromKey(new Key($resource), $ttl, $autoRelease);
	}

	public function createLockFromKey(Key $key, ?float $ttl = 300.0, bool $autoRelease = true): FencingLock
	{
		return new FencingLock($key, $this->lockStore, $ttl, $autoRelease, $this->logger);
	}
}
