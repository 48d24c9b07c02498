<?php
declare(strict_types=1);

namespace RedisLock\Symfony\Messenger;

use InvalidArgumentException;

/**
 * How long a message stays away when somebody else holds its lock: at random, because many of them come back, and more
 * each time, within bounds.
 *
 * @internal
 */
final class Backoff
{
	/**
	 * @param float $minDelay seconds
	 * @param float $maxDelay seconds
	 */
	public function __construct(private readonly float $minDelay = 1.0, private readonly float $maxDelay = 30.0)
	{
		if (!($minDelay >= 0.0 && $maxDelay >= $minDelay && $maxDelay <= 86400.0)) {
			throw new InvalidArgumentException(sprintf(
				'A message with a busy lock comes back after min_delay to max_delay seconds, 0 to 86400. Got %s to %s.',
				$minDelay,
				$maxDelay,
			));
		}
	}

	/**
	 * @param int $count how often it has been sent back before
	 * @return int milliseconds
	 */
	public function delay(int $count): int
	{
		$most = min($this->maxDelay, max($this->minDelay, 0.001) * 2 ** min($count + 1, 40));
		return random_int((int) ceil($this->minDelay * 1000), (int) ceil(max($most, $this->minDelay) * 1000));
	}
}
