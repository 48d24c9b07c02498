<?php
declare(strict_types=1);

namespace Transfers;

use PDO;
use PDOException;

/** SQLite, with many processes on one file. */
final class SqliteDatabase implements Database
{
	/** How long to wait for another writer, in milliseconds. SQLite lets one write at a time. */
	private const BUSY_TIMEOUT = 10_000;

	/** The result code SQLITE_CONSTRAINT. */
	private const CONSTRAINT = 19;

	private ?PDO $pdo = null;

	public function __construct(private readonly string $file)
	{
	}

	/** SQLite makes the file when it is opened. */
	public function create(): void
	{
	}

	public function pdo(): PDO
	{
		if ($this->pdo === null) {
			$this->pdo = new PDO("sqlite:$this->file", null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
			$this->pdo->exec('PRAGMA busy_timeout = ' . self::BUSY_TIMEOUT);
			// WAL: readers and the writer do not block each other. With it, NORMAL loses nothing when a process dies,
			// and at most the last transactions when the machine does.
			$this->pdo->exec('PRAGMA journal_mode = WAL');
			$this->pdo->exec('PRAGMA synchronous = NORMAL');
		}
		return $this->pdo;
	}

	public function begin(): void
	{
		// From here on nobody else writes, so an UPDATE always sees the newest row.
		// Not PDO::beginTransaction(): that one would wait with the write lock until the first write, and then could
		// not have it any more if another process wrote meanwhile, busy_timeout or not.
		$this->pdo()->exec('BEGIN IMMEDIATE');
	}

	public function commit(): void
	{
		$this->pdo()->exec('COMMIT');
	}

	public function rollBack(): void
	{
		$this->pdo()->exec('ROLLBACK');
	}

	public function isDuplicateKey(PDOException $exception): bool
	{
		return ($exception->errorInfo[1] ?? null) === self::CONSTRAINT
			&& str_contains($exception->getMessage(), 'UNIQUE constraint failed');
	}

	public function version(): string
	{
		return 'SQLite ' . $this->pdo()->query('SELECT sqlite_version()')->fetchColumn();
	}
}
