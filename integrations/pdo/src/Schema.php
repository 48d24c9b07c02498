<?php
declare(strict_types=1);

namespace RedisLock\Pdo;

use LogicException;
use PDO;
use RedisLock\Pdo\Dialect\Dialect;
use RedisLock\Pdo\Dialect\Sql;

/** The table in which the guard keeps the largest fence of every resource. */
final class Schema
{
	/**
	 * The statements that make the table, for a migration. They change nothing where it is there already.
	 *
	 * Besides the resources, the table has a row whose resource is empty: the floor, see CleanUp.
	 *
	 * @param string $driver as PDO::ATTR_DRIVER_NAME says it: pgsql, mysql (also for MariaDB) or sqlite
	 * @return list<string>
	 */
	public static function sql(string $driver, string $table = FenceGuard::DEFAULT_TABLE): array
	{
		return Dialect::named($driver, self::validTable($table))->schema();
	}

	/**
	 * Makes the table.
	 *
	 * @throws LogicException on MariaDB and MySQL in a transaction, which they would commit without a word
	 */
	public static function create(PDO $pdo, string $table = FenceGuard::DEFAULT_TABLE): void
	{
		$dialect = Dialect::of($pdo, self::validTable($table));
		if (!$dialect->hasTransactionalSchema() && $dialect->inTransaction($pdo)) {
			throw new LogicException('CREATE TABLE would commit the open transaction: call Schema::create() outside of one');
		}
		foreach ($dialect->schema() as $statement) {
			Sql::run($pdo, $statement);
		}
	}

	/**
	 * A table name goes into the SQL text, so only plain ones are let through.
	 *
	 * @internal
	 */
	public static function validTable(string $table): string
	{
		if (!preg_match('/^[A-Za-z_][A-Za-z0-9_]{0,62}(\.[A-Za-z_][A-Za-z0-9_]{0,62})?$/D', $table)) {
			throw new \ValueError('A table is named by letters, digits and underscores, with a schema before it or without');
		}
		return $table;
	}
}
