<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App\Message;

use RedisLock\Symfony\Messenger\Locked;

#[Locked('job:{account}', ttl: 1.5)]
final class ShortJob extends AnyJob
{
}
