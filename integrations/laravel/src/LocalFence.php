<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Cache\ArrayStore;
use Illuminate\Cache\Lock;

/**
 * What Fenced has in the tests of an application whose cache store is "array", as Laravel sets it there: a lock and a
 * fence of this process alone.
 *
 * @internal
 */
final class LocalFence
{
	private static int $last = 0;

	private readonly Lock $lock;

	private ?int $fence = null;

	public function __construct(ArrayStore $store, string $name, private readonly float $lease)
	{
		$this->lock = $store->lock($name, (int) ceil($lease));
	}

	/** It never waits: nobody else is there who could release the lock. */
	public function acquire(): ?int
	{
		if (!$this->lock->get()) {
			return null;
		}
		return $this->fence = self::$last = max(self::$last + 1, (int) (microtime(true) * 1e6));
	}

	public function release(): bool
	{
		return $this->lock->release();
	}

	public function renew(): bool
	{
		return $this->isHeld();
	}

	public function isHeld(): bool
	{
		return $this->lock->isOwnedByCurrentProcess();
	}

	public function remaining(): float
	{
		return $this->isHeld() ? $this->lease : 0.0;
	}

	public function fence(): ?int
	{
		return $this->fence;
	}
}
