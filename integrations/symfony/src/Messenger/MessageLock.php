<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use RedisLock\Mutex;

/**
 * The lock that a message is handled under. The handler gets it as its argument after the message.
 */
final class MessageLock
{
	/**
	 * @param string $name the name of the lock
	 * @param int $fence larger than every one before for this name: store it with what the handler writes, and let the
	 *        database refuse a smaller one
	 * @param Mutex $mutex what holds the lock
	 */
	public function __construct(
		public readonly string $name,
		public readonly int $fence,
		private readonly Mutex $mutex,
	) {
	}

	/**
	 * Makes the lease last for $ttl seconds from now; null: for the TTL of the message. Nothing renews it by itself.
	 *
	 * @return bool false: the lock is no longer ours; stop, and let the fence refuse what was begun
	 * @throws \RedisLock\FailureException if Redis could not serve it: the lease from before stands
	 */
	public function renew(?float $ttl = null): bool
	{
		return $this->mutex->renew($ttl);
	}

	/** By the local clock, on the safe side. Sends nothing. */
	public function isHeld(): bool
	{
		return $this->mutex->isHeld();
	}

	/** Seconds of lease that are left. Sends nothing. */
	public function remaining(): float
	{
		return $this->mutex->remaining();
	}
}
