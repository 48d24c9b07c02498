<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** The command cannot go on. Its message is for the user, its code is the exit status. */
final class Stop extends \RuntimeException
{
	public function __construct(string $message, int $exitCode)
	{
		parent::__construct($message, $exitCode);
	}
}
