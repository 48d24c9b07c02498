<?php

namespace App\MessageHandler;

use App\Message\ChargeAccount;
use Doctrine\DBAL\Connection;
use RedisLock\Pdo\FenceGuard;
use RedisLock\Symfony\Messenger\MessageLock;
use Symfony\Component\Messenger\Attribute\AsMessageHandler;

#[AsMessageHandler]
final class ChargeAccountHandler
{
    public function __construct(private readonly Connection $db)
    {
    }

    public function __invoke(ChargeAccount $message, MessageLock $lock): void
    {
        $guard = new FenceGuard(fn () => $this->db->getNativeConnection());
        $this->db->transactional(function (Connection $db) use ($message, $lock, $guard): void {
            // Refuses us, if we were stopped for so long that somebody else has had the lock since.
            $guard->check($lock->name, $lock->fence);
            // A message may come twice: a worker can die after the commit.
            $isNew = $db->executeStatement('INSERT INTO charge (id) VALUES (?) ON CONFLICT DO NOTHING', [$message->id]);
            if ($isNew) {
                $cents = $db->fetchOne('SELECT cents FROM account WHERE id = ?', [$message->account]);
                $db->update('account', ['cents' => $cents - $message->cents], ['id' => $message->account]);
            }
        });
    }
}
