<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** The command line cannot be used. Its message says what was wrong and what is allowed. */
final class UsageError extends \RuntimeException
{
}
