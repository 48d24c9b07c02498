<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use RedisLock\Mutex;

/**
 * A lock while its message is handled.
 *
 * @internal
 */
final class HeldLock
{
	private readonly int $since;
	private bool $finished = false;

	public function __construct(public readonly MessageLock $lock, public readonly Mutex $mutex, public readonly float $ttl)
	{
		$this->since = hrtime(true);
	}

	/** True the first time: a batch handler can acknowledge a message and throw as well. */
	public function finish(): bool
	{
		$first = !$this->finished;
		$this->finished = true;
		return $first;
	}

	/** Nanoseconds. */
	public function age(): int
	{
		return hrtime(true) - $this->since;
	}
}
