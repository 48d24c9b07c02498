<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Dialect;

use PDO;
use PDOException;
use PDOStatement;

/**
 * Runs statements on a PDO object whose attributes are the caller's. It must not matter how errors are reported,
 * whether prepared statements are emulated, or whether numbers come as strings. So all values are in the text, as
 * decimal or hexadecimal digits, and nothing is prepared.
 *
 * @internal
 */
final class Sql
{
	/** Runs a statement without a result. Returns the number of rows. */
	public static function run(PDO $pdo, string $sql): int
	{
		$rows = $pdo->exec($sql);
		return $rows === false ? throw self::error($pdo->errorInfo()) : $rows;
	}

	/**
	 * Runs a query, and takes all of its result.
	 *
	 * @param array<int, mixed> $options for PDO::prepare()
	 * @return list<list<string|int|null>>
	 */
	public static function rows(PDO $pdo, string $sql, array $options = []): array
	{
		$statement = $pdo->prepare($sql, $options);
		if (!$statement instanceof PDOStatement) {
			throw self::error($pdo->errorInfo());
		}
		if (!$statement->execute()) {
			throw self::error($statement->errorInfo());
		}
		$rows = $statement->fetchAll(PDO::FETCH_NUM);
		// On SQLite an unfinished statement would keep the transaction from being committed.
		$statement->closeCursor();
		return $rows;
	}

	/** @param array{0: ?string, 1?: mixed, 2?: mixed} $info */
	private static function error(array $info): PDOException
	{
		$error = new PDOException(sprintf('SQLSTATE[%s]: %s', $info[0] ?? '?', $info[2] ?? 'unknown error'));
		$error->errorInfo = $info;
		return $error;
	}
}
