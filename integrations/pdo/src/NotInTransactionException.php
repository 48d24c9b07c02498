<?php
declare(strict_types=1);

namespace RedisLock\Pdo;

use LogicException;

/** The guard was asked outside of a transaction, where its answer would protect nothing. */
final class NotInTransactionException extends LogicException
{
}
