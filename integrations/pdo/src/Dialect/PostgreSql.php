<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Dialect;

use PDO;
use PDOException;

/** @internal */
final class PostgreSql extends Dialect
{
	protected function quote(string $identifier): string
	{
		return "\"$identifier\"";
	}

	protected function bytes(string $resource): string
	{
		// Not '\x…': that depends on standard_conforming_strings.
		return "decode('" . bin2hex($resource) . "', 'hex')";
	}

	protected function hex(): string
	{
		return "encode(resource, 'hex')";
	}

	public function schema(): array
	{
		return [
			<<<SQL
			CREATE TABLE IF NOT EXISTS $this->table (
				resource BYTEA NOT NULL PRIMARY KEY,
				fence BIGINT NOT NULL,
				checks BIGINT NOT NULL
			)
			SQL,
			<<<SQL
			INSERT INTO $this->table (resource, fence, checks) VALUES ({$this->bytes('')}, 0, 0)
			ON CONFLICT (resource) DO NOTHING
			SQL,
		];
	}

	public function inTransaction(PDO $pdo): bool
	{
		// libpq knows it from the server, which says it after every statement.
		return $pdo->inTransaction();
	}

	public function begin(PDO $pdo): void
	{
		// At a higher level, which may be the default of the connection, waiting for another transaction would end in a
		// serialization failure instead of an answer.
		Sql::run($pdo, 'BEGIN ISOLATION LEVEL READ COMMITTED');
	}

	public function isConflict(PDOException $exception): bool
	{
		return in_array($exception->errorInfo[0] ?? null, ['40001', '40P01'], true);
	}

	public function raise(PDO $pdo, string $resource, int $fence): Seen
	{
		// ON CONFLICT waits for a transaction that has written the row, and then sees what that one has committed, also
		// if the statement began before. At REPEATABLE READ and SERIALIZABLE it is a serialization failure instead.
		[[$largest, $checks]] = Sql::rows($pdo, <<<SQL
			INSERT INTO $this->table AS guard (resource, fence, checks) VALUES ({$this->bytes($resource)}, $fence, 1)
			ON CONFLICT (resource) DO UPDATE
			SET fence = GREATEST(guard.fence, EXCLUDED.fence), checks = guard.checks + 1
			RETURNING guard.fence, guard.checks
			SQL, self::oneRoundTrip());
		return new Seen((int) $largest, (int) $checks === 1);
	}

	protected function floorRows(PDO $pdo): array
	{
		// FOR SHARE, because it sees the newest row. A plain SELECT at REPEATABLE READ could miss a clean-up that has
		// deleted the row of our resource after the transaction began; with it that is a serialization failure.
		$sql = "SELECT fence FROM $this->table WHERE resource = {$this->bytes('')} FOR SHARE";
		return Sql::rows($pdo, $sql, self::oneRoundTrip());
	}

	/**
	 * Prepared statements of the server cost two more round trips, and do not work behind every connection pooler.
	 *
	 * @return array<int, mixed>
	 */
	private static function oneRoundTrip(): array
	{
		// The old name is deprecated since PHP 8.5.
		$name = PHP_VERSION_ID >= 80400 ? 'Pdo\Pgsql::ATTR_DISABLE_PREPARES' : 'PDO::PGSQL_ATTR_DISABLE_PREPARES';
		return [constant($name) => true];
	}
}
