<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use LogicException;
use RedisLock;

/**
 * The lock that one message needs.
 *
 * @internal
 */
final class Requirement
{
	public function __construct(
		public readonly string $name,
		public readonly float $ttl,
		public readonly float $wait,
		public readonly bool $keepForRetry,
	) {
		if ($name === '') {
			throw new LogicException('The name of a lock is not empty.');
		}
		if (!($ttl >= RedisLock::MIN_TTL && $ttl <= RedisLock::MAX_TTL)) {
			throw new LogicException(sprintf(
				'The TTL of the lock "%s" is %s: it must be %s to %d seconds.',
				$name,
				$ttl,
				RedisLock::MIN_TTL,
				RedisLock::MAX_TTL,
			));
		}
		if (!($wait >= 0.0 && $wait <= RedisLock::MAX_WAIT)) {
			throw new LogicException(
				sprintf('The wait for the lock "%s" is %s: it must be 0 to %d seconds.', $name, $wait, RedisLock::MAX_WAIT),
			);
		}
	}
}
