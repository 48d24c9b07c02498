<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use Attribute;

/**
 * Says that a message is handled only while a lock is held. On the class of the message, or on one that it extends.
 */
#[Attribute(Attribute::TARGET_CLASS)]
final class Locked
{
	/**
	 * @param string|null $name the name of the lock. "account:{accountId}" takes the public property or the method
	 *        accountId of the message. Not needed if the message is a LockedMessage
	 * @param float|null $ttl the lease in seconds; longer than the handler needs, or the handler renews it
	 * @param float|null $wait how long a worker waits for the lock, in seconds, before it sends the message back
	 * @param bool $keepForRetry a handler that fails keeps the lock until the message is retried: no other message of that
	 *        name gets in between
	 */
	public function __construct(
		public readonly ?string $name = null,
		public readonly ?float $ttl = null,
		public readonly ?float $wait = null,
		public readonly bool $keepForRetry = false,
	) {
	}
}
