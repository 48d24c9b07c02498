<?php
declare(strict_types=1);

namespace RedisLock\Pdo;

use Closure;
use LogicException;
use PDO;
use PDOException;
use RedisLock\Pdo\Dialect\Dialect;
use RedisLock\Pdo\Dialect\Sql;

/**
 * Deletes the rows of resources that nobody has used for long, without losing their protection.
 *
 * A deleted row forgets the largest fence of its resource. So before anything is deleted the *floor* is raised, a
 * number in the same table: every deleted row was below it, and a resource without a row refuses every fence below it.
 * Whatever a row has refused, the floor refuses after it. That holds whatever the clocks say.
 *
 * The clock only decides where the floor goes. redislock hands out fences that are at least the time, in microseconds
 * since 1970, at which the lock was taken. So a fence below "62 days ago" was handed out more than 62 days ago, and its
 * worker will hardly be still at work; if it is, its write may be refused.
 */
final class CleanUp
{
	/** Seconds: twice the longest lease that redislock gives. */
	public const KEEP = 2 * 31 * 86400.0;

	/** Seconds. Less is a mistake in the unit. */
	public const MIN_KEEP = 3600.0;

	/** The 9th of September 2001 in microseconds. No fence of redislock is below, and no counter gets up to it. */
	private const FIRST_TIME = 1_000_000_000_000_000;

	/** @var Closure(): PDO */
	private readonly Closure $connection;

	private readonly string $table;

	/** @param PDO|Closure(): PDO $connection as for FenceGuard */
	public function __construct(PDO|Closure $connection, string $table = FenceGuard::DEFAULT_TABLE)
	{
		$this->connection = $connection instanceof Closure ? $connection : static fn (): PDO => $connection;
		$this->table = Schema::validTable($table);
	}

	/**
	 * Deletes rows, each in a transaction of its own, so that nobody waits for it. It can be called at any time and
	 * from several processes, and it can be killed.
	 *
	 * @param float $keep seconds: no worker takes longer from acquire() to its last write
	 * @param int $limit delete so many rows at most
	 * @return int the number of rows that were deleted
	 * @throws LogicException if a transaction is open, or if the table holds fences that are no times: for those nobody
	 *         can say what is old
	 */
	public function run(float $keep = self::KEEP, int $limit = 10_000): int
	{
		if (!($keep >= self::MIN_KEEP) || $keep > 1e9) {
			throw new \ValueError(sprintf('$keep is a number of seconds from %d to 1000000000', self::MIN_KEEP));
		}
		if ($limit < 1) {
			throw new \ValueError('$limit is at least 1');
		}
		$pdo = ($this->connection)();
		$dialect = Dialect::of($pdo, $this->table);
		if ($dialect->inTransaction($pdo)) {
			throw new LogicException('CleanUp::run() makes transactions of its own: call it outside of one');
		}
		$floor = $this->raiseFloor($pdo, $dialect, $keep);
		$deleted = 0;
		foreach ($dialect->below($pdo, $floor, $limit) as $resource) {
			try {
				// The condition once more: somebody may have used the resource since it was listed.
				$deleted += $dialect->delete($pdo, $resource, $floor);
			} catch (PDOException $problem) {
				if (!$dialect->isConflict($problem)) {
					throw $problem;
				}
				// Somebody is using it right now.
			}
		}
		return $deleted;
	}

	/** Raises the floor, and returns it. Committed before the first row is deleted: that is what everything rests on. */
	private function raiseFloor(PDO $pdo, Dialect $dialect, float $keep): int
	{
		[$smallest, $largest] = $dialect->range($pdo);
		if ($smallest !== null && $smallest < self::FIRST_TIME) {
			throw new LogicException(
				'The table holds fences that are not times of redislock: what is old among them cannot be known',
			);
		}
		// The smaller of our clock and the largest fence: if one of the two is in a far future, the floor does not go
		// there. It could never come back down, and everybody would be refused.
		$now = min((int) (microtime(true) * 1e6), $largest ?? 0);
		$dialect->raiseFloor($pdo, max(0, $now - (int) ($keep * 1e6)));
		return $dialect->floor($pdo);
	}
}
