<?php
declare(strict_types=1);

namespace Transfers;

use PDO;
use PDOException;

/**
 * What differs from one database engine to the next. One small class for each engine; the statements themselves are in
 * Ledger and are the same everywhere.
 */
interface Database
{
	/** The connection; made when first asked for, so that it belongs to the process that uses it. */
	public function pdo(): PDO;

	/**
	 * Begins a transaction that is going to write. Two such transactions that write the same row must come one after
	 * the other, and the later one must see what the earlier one has written.
	 */
	public function begin(): void;

	public function commit(): void;

	public function rollBack(): void;

	/** Was this statement refused because there is a row with the same primary key? */
	public function isDuplicateKey(PDOException $exception): bool;
}
