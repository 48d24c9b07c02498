<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

/** A message that is handled only while its lock is held. The Locked attribute says for how long and how. */
interface LockedMessage
{
	/** The name of the lock: what must not be worked on twice at a time, such as "account:7". */
	public function lockName(): string;
}
