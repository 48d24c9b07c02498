<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Illuminate\Cache\RedisStore;
use RedisLock\Client;

/** Laravel's Redis cache store, with the locks of the extension. */
final class Store extends RedisStore
{
	private LockConnection $locks;

	private float $forever;

	private UniqueJobs $uniqueJobs;

	private LiveLocks $liveLocks;

	/** @internal */
	public function setLocks(LockConnection $locks, float $forever, UniqueJobs $uniqueJobs, LiveLocks $liveLocks): void
	{
		$this->locks = $locks;
		$this->forever = $forever;
		$this->uniqueJobs = $uniqueJobs;
		$this->liveLocks = $liveLocks;
	}

	/**
	 * @param string $name
	 * @param int|float $seconds the lease; 0: the setting redislock.forever
	 * @param string|null $owner
	 */
	public function lock($name, $seconds = 0, $owner = null): Lock
	{
		return new Lock(
			$this->client(),
			(string) $name,
			(float) $seconds,
			$owner === null ? null : (string) $owner,
			$this->forever,
			$this->locks,
			$this->uniqueJobs,
			$this->liveLocks,
		);
	}

	/**
	 * @param string $name
	 * @param string $owner
	 */
	public function restoreLock($name, $owner): Lock
	{
		return $this->lock($name, 0, $owner);
	}

	/** The client that makes the locks of this store: the same names, so also the same locks. */
	public function client(): Client
	{
		return $this->locks->client($this->getPrefix());
	}

	/**
	 * @param string $connection
	 * @return $this
	 */
	public function setLockConnection($connection)
	{
		if (isset($this->locks)) {
			$this->locks = $this->locks->named($connection);
		}
		return parent::setLockConnection($connection);
	}
}
