<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Dialect;

use PDO;
use PDOException;
use RedisLock\Pdo\NotInTransactionException;
use RuntimeException;

/**
 * MariaDB, and MySQL.
 *
 * @internal
 */
final class MySql extends Dialect
{
	private const DEADLOCK = 1213;

	/** "Record has changed since last read": with innodb_snapshot_isolation. */
	private const CHANGED_SINCE_READ = 1020;

	protected function quote(string $identifier): string
	{
		return "`$identifier`";
	}

	protected function bytes(string $resource): string
	{
		return "x'" . bin2hex($resource) . "'";
	}

	protected function hex(): string
	{
		return 'HEX(resource)';
	}

	public function schema(): array
	{
		// The engine by name, because a guard without transactions would guard nothing.
		return [
			<<<SQL
			CREATE TABLE IF NOT EXISTS $this->table (
				resource VARBINARY(1024) NOT NULL PRIMARY KEY,
				fence BIGINT NOT NULL,
				checks BIGINT NOT NULL
			) ENGINE = InnoDB
			SQL,
			"INSERT IGNORE INTO $this->table (resource, fence, checks) VALUES ({$this->bytes('')}, 0, 0)",
		];
	}

	public function hasTransactionalSchema(): bool
	{
		return false;
	}

	public function inTransaction(PDO $pdo): bool
	{
		// Without autocommit a transaction is open as soon as we send something.
		return $pdo->inTransaction() || !$pdo->getAttribute(PDO::ATTR_AUTOCOMMIT);
	}

	public function begin(PDO $pdo): void
	{
		Sql::run($pdo, 'START TRANSACTION');
	}

	public function isConflict(PDOException $exception): bool
	{
		return in_array($exception->errorInfo[1] ?? null, [self::DEADLOCK, self::CHANGED_SINCE_READ], true);
	}

	public function raise(PDO $pdo, string $resource, int $fence): Seen
	{
		// LAST_INSERT_ID(number) makes the number come back with the answer of the statement: no second round trip, and
		// MySQL has no RETURNING. `checks` makes every update change something. Then the number of rows is 1 for a new
		// row and 2 for an old one, also on a connection that counts found rows (PDO::MYSQL_ATTR_FOUND_ROWS).
		$rows = Sql::run($pdo, <<<SQL
			INSERT INTO $this->table (resource, fence, checks) VALUES ({$this->bytes($resource)}, LAST_INSERT_ID($fence), 1)
			ON DUPLICATE KEY UPDATE fence = LAST_INSERT_ID(GREATEST(fence, $fence)), checks = checks + 1
			SQL);
		$largest = (int) $pdo->lastInsertId();
		if ($largest < $fence || ($rows !== 1 && $rows !== 2)) {
			throw new RuntimeException("The server's answer makes no sense: $rows rows, fence $largest");
		}
		// An error answer does not say that the server has rolled the transaction back, as after a deadlock; the next
		// answer without an error does. So here, and not before, a caller is found out who went on after a deadlock.
		if (!$pdo->inTransaction()) {
			throw new NotInTransactionException(
				'The transaction was ended by the server before the check, by a deadlock or by a statement that commits',
			);
		}
		return new Seen($largest, $rows === 1);
	}

	protected function floorRows(PDO $pdo): array
	{
		// A locking read, because it sees the newest row at every isolation level.
		return Sql::rows($pdo, "SELECT fence FROM $this->table WHERE resource = {$this->bytes('')} LOCK IN SHARE MODE");
	}
}
