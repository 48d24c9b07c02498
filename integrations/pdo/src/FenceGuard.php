<?php
declare(strict_types=1);

namespace RedisLock\Pdo;

use Closure;
use LogicException;
use PDO;
use PDOException;
use RedisLock\Pdo\Dialect\Dialect;
use Throwable;

/**
 * Makes a database refuse the writes of a worker that has lost its lock.
 *
 * The guard keeps the largest fence that was seen for each resource in a table, and locks its row until the end of the
 * transaction. So of two transactions on the same resource one waits for the other, and the one with the smaller fence
 * gets a StaleFenceException if it comes second.
 *
 * Read what you are going to change only after the guard has let you through: after check(), in the same transaction,
 * or after claim(). What was read before may have been changed by a holder before you, whose fence is smaller and whose
 * write came before yours.
 */
final class FenceGuard
{
	public const DEFAULT_TABLE = 'redislock_fences';

	/** Bytes. The same limit as RedisLock::MAX_NAME_LENGTH. */
	public const MAX_RESOURCE_LENGTH = 1024;

	/**
	 * 2^53 - 1, the largest fence that redislock hands out. One larger than everything would lock the resource for
	 * ever, so a number that cannot be a fence is an error.
	 */
	public const MAX_FENCE = 9_007_199_254_740_991;

	/** How often claim() runs its own transaction again if the database chose it as the victim of a deadlock. */
	private const CLAIM_ATTEMPTS = 10;

	/** @var Closure(): PDO */
	private readonly Closure $connection;

	private readonly string $table;

	/**
	 * @param PDO|Closure(): PDO $connection the connection whose transactions are to be guarded. A closure is asked every
	 *        time: use one where the PDO object may be replaced, as Laravel does when it connects anew
	 * @param string $table name of the guard table, see Schema; may have a schema before it ("app.fences")
	 */
	public function __construct(PDO|Closure $connection, string $table = self::DEFAULT_TABLE)
	{
		$this->connection = $connection instanceof Closure ? $connection : static fn (): PDO => $connection;
		$this->table = Schema::validTable($table);
	}

	/**
	 * Lets the transaction go on only if no larger fence has been seen for the resource, and remembers the fence. To be
	 * called in the transaction, before anything is read in it. It waits while another transaction that has asked
	 * about the same resource is open.
	 *
	 * @param string $resource what is protected, usually the name of the lock: 1 to 1024 bytes, any bytes
	 * @param int $fence what acquire() returned. Several checks with the same fence are fine
	 * @throws StaleFenceException if a larger fence has been seen
	 * @throws NotInTransactionException if no transaction is open
	 * @throws PDOException if the database could not answer: also a deadlock or a serialization failure, after which the
	 *         whole transaction has to be tried again, as usual
	 */
	public function check(string $resource, int $fence): void
	{
		self::validate($resource, $fence);
		$pdo = ($this->connection)();
		$dialect = Dialect::of($pdo, $this->table);
		if (!$dialect->inTransaction($pdo)) {
			throw new NotInTransactionException(
				'FenceGuard::check() needs a transaction: begin it before the check, and commit it after the write',
			);
		}
		$this->checkInTransaction($pdo, $dialect, $resource, $fence);
	}

	/**
	 * check() for several resources. The order is always the same whatever the order of the array, so that two workers
	 * never wait for each other.
	 *
	 * @param array<string|int, int> $fences resource => fence
	 * @throws StaleFenceException for the first one that is stale
	 */
	public function checkAll(array $fences): void
	{
		// PHP makes an int of a key such as "42".
		$resources = array_map(strval(...), array_keys($fences));
		array_map(self::validate(...), $resources, $fences);
		sort($resources, SORT_STRING);
		foreach ($resources as $resource) {
			$this->check($resource, $fences[$resource]);
		}
	}

	/**
	 * Tells the database, in a short transaction of its own, that the lock has a new holder. After it no check with a
	 * smaller fence goes through, and no transaction in which one went through before is still open. So this is what to
	 * call right after acquire() if you read now and write later, in another transaction with a check() of its own.
	 *
	 * @throws StaleFenceException if a larger fence has been seen: the lock is lost
	 * @throws LogicException if a transaction is open: use check() there
	 * @throws PDOException if the database could not answer
	 */
	public function claim(string $resource, int $fence): void
	{
		self::validate($resource, $fence);
		$pdo = ($this->connection)();
		$dialect = Dialect::of($pdo, $this->table);
		if ($dialect->inTransaction($pdo)) {
			throw new LogicException('FenceGuard::claim() makes a transaction of its own: inside of one, call check()');
		}
		for ($attempt = 1;; $attempt++) {
			$dialect->begin($pdo);
			try {
				$this->checkInTransaction($pdo, $dialect, $resource, $fence);
				$dialect->commit($pdo);
				return;
			} catch (Throwable $problem) {
				self::rollBackAfter($pdo, $dialect);
				// There is nothing in this transaction but the check, so it can simply be done again.
				if ($attempt === self::CLAIM_ATTEMPTS || !$problem instanceof PDOException || !$dialect->isConflict($problem)) {
					throw $problem;
				}
			}
		}
	}

	private function checkInTransaction(PDO $pdo, Dialect $dialect, string $resource, int $fence): void
	{
		$seen = $dialect->raise($pdo, $resource, $fence);
		$largest = $seen->fence;
		if ($seen->isNew) {
			// Either nobody has ever asked about this resource, or its row was cleaned up. In the second case it held a
			// number below the floor.
			$floor = $dialect->floor($pdo);
			if ($floor > $fence) {
				// A caller that ignores the exception and commits must not leave a row that knows less than the floor.
				$dialect->raise($pdo, $resource, $floor);
				$largest = $floor;
			}
		}
		if ($largest > $fence) {
			throw new StaleFenceException($resource, $fence, $largest);
		}
	}

	private static function rollBackAfter(PDO $pdo, Dialect $dialect): void
	{
		try {
			$dialect->rollBack($pdo);
		} catch (PDOException) {
			// Some errors have ended the transaction, or the connection, already. What went wrong first is what counts.
		}
	}

	private static function validate(string $resource, int $fence): void
	{
		$length = strlen($resource);
		if ($length < 1 || $length > self::MAX_RESOURCE_LENGTH) {
			throw new \ValueError(sprintf('A resource has 1 to %d bytes, not %d', self::MAX_RESOURCE_LENGTH, $length));
		}
		if ($fence < 1 || $fence > self::MAX_FENCE) {
			throw new \ValueError(sprintf('A fence is a number from 1 to %d, not %d', self::MAX_FENCE, $fence));
		}
	}
}
