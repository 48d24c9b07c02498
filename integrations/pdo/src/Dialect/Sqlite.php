<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Dialect;

use PDO;
use PDOException;

/**
 * SQLite 3.24 and newer. It lets one transaction write at a time, and refuses to write (SQLITE_BUSY) in one that has
 * read what is no longer true.
 *
 * @internal
 */
final class Sqlite extends Dialect
{
	protected function quote(string $identifier): string
	{
		return "\"$identifier\"";
	}

	protected function bytes(string $resource): string
	{
		return "x'" . bin2hex($resource) . "'";
	}

	protected function hex(): string
	{
		return 'hex(resource)';
	}

	public function schema(): array
	{
		return [
			<<<SQL
			CREATE TABLE IF NOT EXISTS $this->table (
				resource BLOB NOT NULL PRIMARY KEY,
				fence INTEGER NOT NULL,
				checks INTEGER NOT NULL
			)
			SQL,
			"INSERT OR IGNORE INTO $this->table (resource, fence, checks) VALUES ({$this->bytes('')}, 0, 0)",
		];
	}

	public function inTransaction(PDO $pdo): bool
	{
		// PDO knows only of transactions that it has begun itself, and does not notice when they end otherwise. BEGIN
		// IMMEDIATE, which is what people need here, is not among those. SQLite itself knows: BEGIN is an error in a
		// transaction, which does no harm to it, and takes no lock where there is none.
		try {
			// @: with PDO::ERRMODE_WARNING it would be a warning.
			$begun = @$pdo->exec('BEGIN') !== false;
			$message = (string) ($pdo->errorInfo()[2] ?? '');
		} catch (PDOException $exception) {
			$begun = false;
			$message = $exception->getMessage();
		}
		if ($begun) {
			Sql::run($pdo, 'ROLLBACK');
			return false;
		}
		if (!str_contains($message, 'within a transaction')) {
			throw $exception ?? new PDOException($message);
		}
		return true;
	}

	public function begin(PDO $pdo): void
	{
		// IMMEDIATE: it waits for other writers, as long as the connection's busy timeout says.
		Sql::run($pdo, 'BEGIN IMMEDIATE');
	}

	public function isConflict(PDOException $exception): bool
	{
		// After SQLITE_BUSY the busy timeout of the connection is over. To try again would wait longer than was asked for.
		return false;
	}

	public function raise(PDO $pdo, string $resource, int $fence): Seen
	{
		// Two statements, because there is no network in between and RETURNING came with SQLite 3.35. After the first
		// one nobody else can write.
		Sql::run($pdo, <<<SQL
			INSERT INTO $this->table (resource, fence, checks) VALUES ({$this->bytes($resource)}, $fence, 1)
			ON CONFLICT (resource) DO UPDATE SET fence = max(fence, excluded.fence), checks = checks + 1
			SQL);
		$sql = "SELECT fence, checks FROM $this->table WHERE resource = {$this->bytes($resource)}";
		[[$largest, $checks]] = Sql::rows($pdo, $sql);
		return new Seen((int) $largest, (int) $checks === 1);
	}

	protected function floorRows(PDO $pdo): array
	{
		return Sql::rows($pdo, "SELECT fence FROM $this->table WHERE resource = {$this->bytes('')}");
	}
}
