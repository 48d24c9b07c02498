<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

use Psr\Log\LoggerInterface;
use Symfony\Component\Lock\Exception\LockConflictedException;
use Symfony\Component\Lock\Key;
use Symfony\Component\Lock\Lock;
use Symfony\Component\Lock\SharedLockInterface;

/**
 * Symfony's Lock, with a fence, and with a wait that ends. Made by LockFactory.
 */
final class FencingLock implements SharedLockInterface
{
	private readonly Lock $lock;

	/** @internal use LockFactory */
	public function __construct(
		private readonly Key $key,
		private readonly LockStore $store,
		private readonly ?float $ttl,
		bool $autoRelease,
		?LoggerInterface $logger,
	) {
		$store->prepare($key, $ttl ?: null);
		$this->lock = new Lock($key, $store, $ttl, $autoRelease);
		if ($logger !== null) {
			$this->lock->setLogger($logger);
		}
	}

	/**
	 * The fence of the present or the last acquisition: an integer larger than every one before for this name. Store it
	 * with the write that the lock protects, and let the database refuse a smaller one. Null before the first.
	 */
	public function fence(): ?int
	{
		return $this->store->fence($this->key);
	}

	/** The Key: serialize it to hand the lock to another process. It holds the owner's secret. */
	public function key(): Key
	{
		return $this->key;
	}

	public function acquire(bool $blocking = false): bool
	{
		return $this->lock->acquire($blocking);
	}

	/**
	 * Waits in the queue, for so many seconds at most.
	 *
	 * @return bool false: somebody else held it to the end
	 */
	public function acquireWithin(float $seconds): bool
	{
		$this->store->prepare($this->key, $this->ttl ?: null, $seconds);
		try {
			return $this->lock->acquire(true);
		} catch (LockConflictedException) {
			return false;
		} finally {
			$this->store->prepare($this->key, $this->ttl ?: null);
		}
	}

	/** There are no shared locks here: it is a lock like any other. */
	public function acquireRead(bool $blocking = false): bool
	{
		return $this->lock->acquireRead($blocking);
	}

	public function refresh(?float $ttl = null): void
	{
		$this->lock->refresh($ttl);
	}

	public function isAcquired(): bool
	{
		return $this->lock->isAcquired();
	}

	public function release(): void
	{
		$this->lock->release();
	}

	public function isExpired(): bool
	{
		return $this->lock->isExpired();
	}

	public function getRemainingLifetime(): ?float
	{
		return $this->lock->getRemainingLifetime();
	}
}
