<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use RuntimeException;

/** Somebody else holds the lock of a message, and the message cannot be sent back to wait for it. */
final class LockHeldElsewhereException extends RuntimeException
{
	public function __construct(public readonly string $lock, string $why)
	{
		parent::__construct(sprintf('The lock "%s" is held by somebody else, and %s.', $lock, $why));
	}
}
