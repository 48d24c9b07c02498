<?php
declare(strict_types=1);

namespace Transfers;

use PDO;
use PDOException;

/**
 * What differs from one database engine to the next. One small class for each engine, and a case in Engine; the
 * statements themselves are in Ledger and are the same everywhere.
 */
interface Database
{
	/** Makes the database, empty. Once, before anybody uses it. */
	public function create(): void;

	/** The connection; made when first asked for, so that it belongs to the process that uses it. */
	public function pdo(): PDO;

	/**
	 * Begins a transaction that is going to write. For the fence to mean something, two things have to hold:
	 *
	 * - an UPDATE that meets a row which another transaction has changed, and not committed yet, waits for that one;
	 * - then it looks at the row as the other one has left it, fence included, and not as it was before.
	 *
	 * PDOStatement::rowCount() after an UPDATE counts the rows that have matched, also those that already held the
	 * values which were written.
	 */
	public function begin(): void;

	public function commit(): void;

	public function rollBack(): void;

	/** Was this statement refused because there is a row with the same primary key? */
	public function isDuplicateKey(PDOException $exception): bool;

	/** Its name and version, for people. */
	public function version(): string;
}
