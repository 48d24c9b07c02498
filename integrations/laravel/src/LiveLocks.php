<?php
declare(strict_types=1);

namespace RedisLock\Laravel;

use Throwable;
use WeakMap;

/**
 * Knows the locks that only their object can give back: those of the middleware WithoutOverlapping, and those without an
 * end. When a job has run too long, its worker kills itself, and no `finally` is run.
 */
final class LiveLocks
{
	private const OVERLAP_PREFIX = 'laravel-queue-overlap:';

	/** @var WeakMap<Lock, true> */
	private WeakMap $locks;

	public function __construct()
	{
		$this->locks = new WeakMap();
	}

	/** Before the lock is taken, so that there is no moment in which it is held and not known here. */
	public function add(Lock $lock, string $name, bool $forever): void
	{
		if ($forever || str_starts_with($name, self::OVERLAP_PREFIX)) {
			$this->locks[$lock] = true;
		}
	}

	/** Gives back what it can. What it cannot ends with its lease. */
	public function releaseAll(): void
	{
		foreach ($this->locks as $lock => $known) {
			try {
				if ($lock->isPrivate() && $lock->remaining() > 0) {
					$lock->release();
				}
			} catch (Throwable $problem) {
				report($problem);
			}
		}
	}
}
