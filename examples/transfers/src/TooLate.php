<?php
declare(strict_types=1);

namespace Transfers;

use Exception;

/** The database has seen a larger fence: somebody else has the lock now, or has had it since. Nothing was written. */
final class TooLate extends Exception
{
}
