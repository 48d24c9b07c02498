<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Tests\Support;

use RuntimeException;

/** Waits for what another process does. The limit is there to catch a hang; the machine may be busy. */
final class Eventually
{
	private const SECONDS = 60.0;

	public static function true(string $what, callable $condition): void
	{
		$end = microtime(true) + self::SECONDS;
		while (!$condition()) {
			if (microtime(true) > $end) {
				throw new RuntimeException("It did not happen: $what");
			}
			usleep(10_000);
		}
	}
}
