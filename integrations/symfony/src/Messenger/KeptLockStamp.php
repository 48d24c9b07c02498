<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use Symfony\Component\Messenger\Stamp\StampInterface;

/**
 * The lock that a failed message keeps until it is retried. The fence is that of the attempt that failed: if the lock has
 * another one by then, somebody has taken it over since, perhaps a copy of this very message that was delivered before.
 *
 * @internal
 */
final class KeptLockStamp implements StampInterface
{
	public function __construct(
		public readonly string $name,
		#[\SensitiveParameter] public readonly string $token,
		public readonly int $fence,
	) {
	}
}
