<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use LogicException;

/** For a job with the middleware Fenced: gives it its fence. */
trait HasFence
{
	/**
	 * The fencing token of the lock under which handle() runs: larger than that of every job that had the lock before.
	 *
	 * @param string|null $name the lock, if the job has more than one
	 * @throws LogicException outside of handle(), or without the middleware
	 */
	public function fence(?string $name = null): int
	{
		return (int) Fences::of($this, $name)->fence();
	}

	/**
	 * Makes the lease last that long from now. Nothing does it by itself.
	 *
	 * @param float|null $seconds null: as long as it was taken for
	 * @return bool false: the lock is lost, so stop
	 */
	public function renewFence(?float $seconds = null, ?string $name = null): bool
	{
		return Fences::of($this, $name)->renew($seconds);
	}

	/** The seconds of lease that are left by the clock of this machine; 0.0: the lease is over. */
	public function fenceRemaining(?string $name = null): float
	{
		return Fences::of($this, $name)->remaining();
	}
}
