<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App\Message;

use RedisLock\Symfony\Messenger\LockedMessage;

final class NamedJob extends AnyJob implements LockedMessage
{
	public function lockName(): string
	{
		return 'job:' . $this->account;
	}
}
