<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use Symfony\Component\Messenger\Stamp\NonSendableStampInterface;

/**
 * On an envelope that a bus gives back: its message was not handled, but sent back to its transport, because somebody
 * else held the lock. The worker acknowledges this copy of it as it does with one that was handled.
 */
final class RequeuedStamp implements NonSendableStampInterface
{
	public function __construct(public readonly string $lock, public readonly int $delay)
	{
	}
}
