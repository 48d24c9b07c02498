<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App\Message;

use RedisLock\Symfony\Messenger\Locked;

#[Locked('job:{account}', ttl: 30.0)]
final class SyncJob extends AnyJob
{
}
