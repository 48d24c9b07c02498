<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** A signal asked us to end; thrown by its handler, so that what is held is given back on the way out. */
final class Interrupted extends \RuntimeException
{
	public function __construct(public readonly int $signal)
	{
		parent::__construct("ended by signal $signal");
	}
}
