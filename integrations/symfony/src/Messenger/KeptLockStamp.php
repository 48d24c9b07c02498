<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use Symfony\Component\Messenger\Stamp\StampInterface;

/**
 * The lock that a failed message keeps until it is retried.
 *
 * @internal
 */
final class KeptLockStamp implements StampInterface
{
	public function __construct(public readonly string $name, #[\SensitiveParameter] public readonly string $token)
	{
	}
}
