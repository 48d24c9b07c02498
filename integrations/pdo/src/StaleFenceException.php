<?php
declare(strict_types=1);

namespace RedisLock\Pdo;

use RuntimeException;

/**
 * The database has seen a larger fence: somebody else has held the lock since. Roll back, and do not try again with
 * this fence.
 */
final class StaleFenceException extends RuntimeException
{
	/**
	 * @param string $resource the resource, as it was given to the guard
	 * @param int $fence the fence that was refused
	 * @param int $largest the largest one that the database knows of
	 */
	public function __construct(
		public readonly string $resource,
		public readonly int $fence,
		public readonly int $largest,
	) {
		// A resource may hold any bytes, and a message goes to logs and terminals. Its length is limited for the same
		// reason; the property has all of it.
		$shown = addcslashes(substr($resource, 0, 100), "\0..\37\"\\\177..\377") . (strlen($resource) > 100 ? '…' : '');
		parent::__construct("Fence $fence is stale for \"$shown\": $largest has been seen");
	}
}
