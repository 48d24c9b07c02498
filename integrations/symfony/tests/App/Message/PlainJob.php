<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App\Message;

final class PlainJob extends AnyJob
{
}
