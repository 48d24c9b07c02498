<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\App\Message;

abstract class AnyJob
{
	/**
	 * @param string $account whose lock is needed
	 * @param string $label what the record calls this message
	 * @param string $behaviour what the handler does, see JobHandler
	 */
	public function __construct(public readonly string $account, public readonly string $label, public readonly string $behaviour = 'ok')
	{
	}
}
