<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Dialect;

/**
 * What the table says of a resource, after it was told a fence.
 *
 * @internal
 */
final class Seen
{
	/**
	 * @param int $fence the larger one of what it knew and what it was told
	 * @param bool $isNew it had no row
	 */
	public function __construct(
		public readonly int $fence,
		public readonly bool $isNew,
	) {
	}
}
