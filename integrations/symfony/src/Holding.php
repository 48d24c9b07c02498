<?php
declare(strict_types=1);

namespace RedisLock\Symfony;

use RedisLock\Mutex;

/**
 * What this process knows of a Key, and what must not be serialized with it: the live lock, and what was asked for.
 *
 * @internal
 */
final class Holding
{
	/** The lease that the lock is taken with; null: that of the store. */
	public ?float $lease = null;

	/** How long waitAndSave() waits; null: as long as the store says. */
	public ?float $maxWait = null;

	/** The object that holds the lock, or that has tried to: it remembers the tokens that Redis never answered. */
	public ?Mutex $lock = null;

	private float $lockLease = 0.0;
	private int $pid = 0;
	private bool $owned = false;
	private float $since = 0.0;
	private float $end = 0.0;
	private bool $fresh = false;

	public static function now(): float
	{
		return hrtime(true) / 1e9;
	}

	/**
	 * Keeps the object that is about to try, so that the next attempt with the same lease is made with it, too.
	 *
	 * @param callable(): Mutex $make
	 */
	public function candidate(float $lease, callable $make): Mutex
	{
		$lock = $this->lock;
		if ($lock === null || $this->lockLease !== $lease || $this->pid !== getmypid()) {
			$lock = $this->lock = $make();
			$this->lockLease = $lease;
			$this->pid = (int) getmypid();
		}
		return $lock;
	}

	/** The candidate has the lock now. $sent is when the lease began at the earliest. */
	public function took(float $sent, float $ttl): void
	{
		$this->owned = true;
		$this->since = self::now();
		$this->end = $sent + $ttl;
		$this->fresh = true;
	}

	public function extended(float $sent, float $ttl): void
	{
		$this->end = $sent + $ttl;
		$this->fresh = false;
	}

	public function forget(): void
	{
		$this->lock = null;
		$this->owned = $this->fresh = false;
	}

	/** True if the lock was taken through this Key, by this process or by the one that it was forked from. */
	public function isOwned(): bool
	{
		return $this->owned;
	}

	public function isOfParent(): bool
	{
		return $this->lock !== null && $this->pid !== getmypid();
	}

	/** True if the caller's time is over, even if Redis holds the lock for longer: a lease is never shortened there. */
	public function isOver(): bool
	{
		return self::now() >= $this->end;
	}

	/**
	 * True once, directly after the lock was taken, if the lease lasts for $ttl anyway. Symfony's Lock renews what it has
	 * just acquired; that would be a round trip for nothing.
	 */
	public function coversFirstRefresh(float $ttl): bool
	{
		$covers = $this->fresh && self::now() - $this->since < 0.005 && $ttl === $this->lockLease;
		$this->fresh = false;
		return $covers;
	}

	/** Seconds since the lock was taken. */
	public function age(): float
	{
		return self::now() - $this->since;
	}
}
