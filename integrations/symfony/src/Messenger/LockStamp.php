<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use Symfony\Component\Messenger\Stamp\StampInterface;

/** Says with which lock this one message is handled, whatever its class says. Given with dispatch(). */
final class LockStamp implements StampInterface
{
	/** The arguments are those of Locked; the name is taken as it is. */
	public function __construct(
		public readonly string $name,
		public readonly ?float $ttl = null,
		public readonly ?float $wait = null,
		public readonly bool $keepForRetry = false,
	) {
	}
}
