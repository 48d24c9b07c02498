<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** A server did not answer. */
final class NoAnswer extends \RuntimeException
{
	/** @param bool $closed it closed the connection, as some proxies do at a command that they do not know */
	public function __construct(string $message, public readonly bool $closed = false)
	{
		parent::__construct($message);
	}
}
