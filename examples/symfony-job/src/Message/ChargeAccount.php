<?php

namespace App\Message;

use RedisLock\Symfony\Messenger\Locked;

#[Locked('account:{account}', ttl: 10.0)]   // one message of an account at a time
final class ChargeAccount
{
    public function __construct(
        public readonly string $id,
        public readonly int $account,
        public readonly int $cents,
    ) {
    }
}
