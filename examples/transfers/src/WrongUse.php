<?php
declare(strict_types=1);

namespace Transfers;

use Exception;

/** The program was called in a way it does not understand. */
final class WrongUse extends Exception
{
}
