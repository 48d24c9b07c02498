<?php
declare(strict_types=1);

namespace Transfers;

use PDO;
use PDOException;
use Pdo\Mysql;

/** MariaDB. MySQL has the same driver and understands the same statements, but the demo does not run on it. */
final class MysqlDatabase implements Database
{
	/** The error number ER_DUP_ENTRY. */
	private const DUPLICATE_ENTRY = 1062;

	private ?PDO $pdo = null;

	public function __construct(private readonly string $socket, private readonly string $name)
	{
	}

	public function create(): void
	{
		// _bin: the usual collations take "a" and "A" for the same account.
		$this->connect()->exec("CREATE DATABASE $this->name CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
	}

	public function pdo(): PDO
	{
		if ($this->pdo === null) {
			$pdo = $this->connect();
			$pdo->exec("USE $this->name");
			$this->pdo = $pdo;
		}
		return $this->pdo;
	}

	private function connect(): PDO
	{
		// No password: the server asks the kernel who is at the other end of the socket.
		$user = posix_getpwuid(posix_geteuid())['name'];
		$pdo = new PDO("mysql:unix_socket=$this->socket;charset=utf8mb4", $user, '', [
			PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION,
			PDO::ATTR_EMULATE_PREPARES => false,
			// Otherwise rowCount() leaves out a row that already held the same values, and that would look like a write
			// that was refused: when a transfer is refused for lack of funds, balance and fence stay what they are.
			self::foundRows() => true,
		]);
		// The default is REPEATABLE READ. There an UPDATE looks at the newest row but a SELECT may look at an old one,
		// newer servers may break off a transaction because of that, and gaps between rows are locked as well. We want
		// none of it: claim, read what is there now, and compare the fence with what is there now.
		$pdo->exec('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
		return $pdo;
	}

	/** The attribute got a new name in PHP 8.4, and 8.5 complains of the old one. */
	private static function foundRows(): int
	{
		return class_exists(Mysql::class) ? Mysql::ATTR_FOUND_ROWS : PDO::MYSQL_ATTR_FOUND_ROWS;
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
		return ($exception->errorInfo[1] ?? null) === self::DUPLICATE_ENTRY;
	}

	public function version(): string
	{
		$version = $this->connect()->query('SELECT VERSION()')->fetchColumn();
		return str_contains($version, 'MariaDB') ? 'MariaDB ' . strstr($version, '-', true) : "MySQL $version";
	}
}
