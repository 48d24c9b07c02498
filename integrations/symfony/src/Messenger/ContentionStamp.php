<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use Symfony\Component\Messenger\Stamp\StampInterface;

/** How often a message was sent back because somebody else held its lock. */
final class ContentionStamp implements StampInterface
{
	public function __construct(public readonly int $count)
	{
	}
}
