<?php
declare(strict_types=1);

namespace Transfers;

use PDO;
use PDOException;

/** PostgreSQL. Each of our databases is a schema there. */
final class PgsqlDatabase implements Database
{
	/** The SQLSTATE unique_violation. */
	private const UNIQUE_VIOLATION = '23505';

	private ?PDO $pdo = null;

	/** @param string $folder where the server has its socket */
	public function __construct(private readonly string $folder, private readonly string $schema)
	{
	}

	public function create(): void
	{
		$this->pdo()->exec("CREATE SCHEMA $this->schema");
	}

	public function pdo(): PDO
	{
		if ($this->pdo === null) {
			// In quotes and with backslashes, as libpq wants it: a folder may have spaces in its name.
			$folder = addcslashes($this->folder, "'\\");
			// No user and no password: the server asks the kernel who is at the other end of the socket.
			$this->pdo = new PDO("pgsql:host='$folder';port=5432;dbname=postgres", null, null, [
				PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
			]);
			// The isolation level that we rely on, whatever the server's settings say. Here an UPDATE that had to wait
			// looks at the row anew and finds the larger fence: no row matches. On a higher level it would be as safe,
			// but it would fail with SQLSTATE 40001 instead, and that would have to be understood as "too late".
			$this->pdo->exec('SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED');
			$this->pdo->exec("SET search_path TO $this->schema");
		}
		return $this->pdo;
	}

	public function begin(): void
	{
		$this->pdo()->beginTransaction();
	}

	public function commit(): void
	{
		$this->pdo()->commit();
	}

	public function rollBack(): void
	{
		$this->pdo()->rollBack();
	}

	public function isDuplicateKey(PDOException $exception): bool
	{
		return ($exception->errorInfo[0] ?? null) === self::UNIQUE_VIOLATION;
	}

	public function version(): string
	{
		return 'PostgreSQL ' . $this->pdo()->query('SHOW server_version')->fetchColumn();
	}
}
