<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Dialect;

use PDO;
use PDOException;
use RuntimeException;

/**
 * What differs between the databases: one class for each.
 *
 * @internal
 */
abstract class Dialect
{
	/** The table, quoted. */
	protected readonly string $table;

	final private function __construct(string $table)
	{
		$this->table = implode('.', array_map($this->quote(...), explode('.', $table)));
	}

	public static function of(PDO $pdo, string $table): self
	{
		return self::named((string) $pdo->getAttribute(PDO::ATTR_DRIVER_NAME), $table);
	}

	public static function named(string $driver, string $table): self
	{
		return match ($driver) {
			'pgsql' => new PostgreSql($table),
			'mysql' => new MySql($table),
			'sqlite' => new Sqlite($table),
			default => throw new \ValueError(
				"There is no fence guard for the PDO driver \"$driver\", only for pgsql, mysql and sqlite",
			),
		};
	}

	abstract protected function quote(string $identifier): string;

	/** A resource as a literal. */
	abstract protected function bytes(string $resource): string;

	/** An expression for the hexadecimal digits of the column resource. */
	abstract protected function hex(): string;

	/** @return list<string> the statements that make the table */
	abstract public function schema(): array;

	/** Does CREATE TABLE belong to a transaction? */
	public function hasTransactionalSchema(): bool
	{
		return true;
	}

	/** Is a transaction open? */
	abstract public function inTransaction(PDO $pdo): bool;

	abstract public function begin(PDO $pdo): void;

	public function commit(PDO $pdo): void
	{
		Sql::run($pdo, 'COMMIT');
	}

	public function rollBack(PDO $pdo): void
	{
		Sql::run($pdo, 'ROLLBACK');
	}

	/** Was the transaction refused because of another one at the same time, so that trying again helps? */
	abstract public function isConflict(PDOException $exception): bool;

	/**
	 * Makes the row of the resource hold at least $fence, and locks it to the end of the transaction. What it answers is
	 * the truth at the moment at which the lock was had, whatever the isolation level.
	 */
	abstract public function raise(PDO $pdo, string $resource, int $fence): Seen;

	/**
	 * The floor, as it is now and not as it was when the transaction began. It cannot be raised by others before the
	 * end of the transaction.
	 */
	public function floor(PDO $pdo): int
	{
		$rows = $this->floorRows($pdo);
		// Without a floor nobody could say what was forgotten.
		return (int) ($rows[0][0] ?? throw new RuntimeException(
			"The table $this->table is not complete: run Schema::create() or the statements of Schema::sql()",
		));
	}

	/** @return list<list<string|int|null>> */
	abstract protected function floorRows(PDO $pdo): array;

	public function raiseFloor(PDO $pdo, int $floor): void
	{
		Sql::run($pdo, "UPDATE $this->table SET fence = $floor WHERE resource = {$this->bytes('')} AND fence < $floor");
	}

	/** @return array{?int, ?int} the smallest and the largest fence of all resources */
	public function range(PDO $pdo): array
	{
		[$range] = Sql::rows($pdo, "SELECT MIN(fence), MAX(fence) FROM $this->table WHERE resource <> {$this->bytes('')}");
		return array_map(static fn ($fence) => $fence === null ? null : (int) $fence, $range);
	}

	/** @return list<string> resources whose fence is below $floor */
	public function below(PDO $pdo, int $floor, int $limit): array
	{
		$rows = Sql::rows($pdo, <<<SQL
			SELECT {$this->hex()} FROM $this->table
			WHERE fence < $floor AND resource <> {$this->bytes('')} LIMIT $limit
			SQL);
		return array_map(static fn (array $row) => (string) hex2bin($row[0]), $rows);
	}

	/** Deletes the row of a resource if its fence is below $floor. Returns the number of rows: 0 or 1. */
	public function delete(PDO $pdo, string $resource, int $floor): int
	{
		return Sql::run($pdo, "DELETE FROM $this->table WHERE resource = {$this->bytes($resource)} AND fence < $floor");
	}
}
