<?php
declare(strict_types=1);

namespace Chaos;

use PDO;
use Random\Randomizer;
use RedisLock\Pdo\FenceGuard;
use RedisLock\Pdo\Schema;

/**
 * What the locks protect: counters, each with a digest of everything that was ever written to it; and a table of
 * entries, one for every write, in the same transaction. Nothing in it refuses a late write but the guard.
 */
final class Store
{
	private const LEVELS = [
		'pgsql' => ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'],
		'mysql' => ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'],
	];

	private ?PDO $pdo = null;

	public readonly FenceGuard $guard;

	public function __construct(public readonly string $database, private readonly string $dsn)
	{
		$this->guard = new FenceGuard(fn () => $this->pdo());
	}

	public function pdo(): PDO
	{
		if ($this->pdo === null) {
			$this->pdo = new PDO($this->dsn, null, null, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
			// Longer than anybody is stopped, so that a wait ends by the other one's going on.
			$this->pdo->exec(match ($this->database) {
				'pgsql' => "SET lock_timeout = '10s'",
				'mysql' => 'SET innodb_lock_wait_timeout = 10',
				'sqlite' => 'PRAGMA busy_timeout = 10000',
			});
		}
		return $this->pdo;
	}

	/** After an error nobody can say what state the connection is in. */
	public function forgetConnection(): void
	{
		$this->pdo = null;
	}

	/** @param list<string> $resources */
	public function create(array $resources): void
	{
		$pdo = $this->pdo();
		if ($this->database === 'sqlite') {
			$pdo->exec('PRAGMA journal_mode = WAL');
		}
		Schema::create($pdo);
		$engine = $this->database === 'mysql' ? ' ENGINE = InnoDB' : '';
		$columns = 'resource VARCHAR(64) NOT NULL, value BIGINT NOT NULL, digest CHAR(32) NOT NULL';
		$pdo->exec("CREATE TABLE counters ($columns, PRIMARY KEY (resource))$engine");
		$pdo->exec("CREATE TABLE entries (op VARCHAR(64) NOT NULL PRIMARY KEY, $columns, fence BIGINT NOT NULL)$engine");
		$insert = $pdo->prepare('INSERT INTO counters (resource, value, digest) VALUES (?, 0, ?)');
		foreach ($resources as $resource) {
			$insert->execute([$resource, md5('')]);
		}
	}

	/** Begins a transaction, at one of the isolation levels. */
	public function begin(Randomizer $dice): void
	{
		if ($this->database === 'sqlite') {
			$this->pdo()->exec($dice->getInt(0, 1) ? 'BEGIN IMMEDIATE' : 'BEGIN');
			return;
		}
		$levels = self::LEVELS[$this->database];
		$level = $levels[$dice->getInt(0, count($levels) - 1)];
		if ($this->database === 'mysql') {
			$this->pdo()->exec("SET TRANSACTION ISOLATION LEVEL $level");
			$this->pdo()->exec('START TRANSACTION');
		} else {
			$this->pdo()->exec("BEGIN ISOLATION LEVEL $level");
		}
	}

	public function commit(): void
	{
		$this->pdo()->exec('COMMIT');
	}

	public function rollBack(): void
	{
		$this->pdo()->exec('ROLLBACK');
	}

	/** @return array{int, string} value and digest */
	public function read(string $resource): array
	{
		$statement = $this->pdo()->prepare('SELECT value, digest FROM counters WHERE resource = ?');
		$statement->execute([$resource]);
		[[$value, $digest]] = $statement->fetchAll(PDO::FETCH_NUM);
		return [(int) $value, $digest];
	}

	public static function digest(string $before, string $op): string
	{
		return md5($before . $op);
	}

	public function write(string $resource, int $value, string $digest, string $op, int $fence): void
	{
		$this->pdo()->prepare('UPDATE counters SET value = ?, digest = ? WHERE resource = ?')->execute([$value, $digest, $resource]);
		$this->pdo()->prepare('INSERT INTO entries (op, resource, value, digest, fence) VALUES (?, ?, ?, ?, ?)')
			->execute([$op, $resource, $value, $digest, $fence]);
	}

	/** @return list<array{op: string, resource: string, value: int, digest: string, fence: int}> */
	public function entries(): array
	{
		$rows = $this->pdo()->query('SELECT op, resource, value, digest, fence FROM entries')->fetchAll(PDO::FETCH_ASSOC);
		return array_map(static fn (array $row) => ['value' => (int) $row['value'], 'fence' => (int) $row['fence']] + $row, $rows);
	}

	/** @return array<string, array{int, string}> resource => value and digest */
	public function counters(): array
	{
		$counters = [];
		$rows = $this->pdo()->query('SELECT resource, value, digest FROM counters')->fetchAll(PDO::FETCH_NUM);
		foreach ($rows as [$resource, $value, $digest]) {
			$counters[$resource] = [(int) $value, $digest];
		}
		return $counters;
	}

	/** The number by which the server knows this connection; 0 where there is no server. */
	public function connectionNumber(): int
	{
		return match ($this->database) {
			'pgsql' => (int) $this->pdo()->query('SELECT pg_backend_pid()')->fetchColumn(),
			'mysql' => (int) $this->pdo()->query('SELECT CONNECTION_ID()')->fetchColumn(),
			'sqlite' => 0,
		};
	}

	/** Ends the connection of a worker. Returns whether there was one. */
	public function cutOneConnection(Randomizer $dice): bool
	{
		$own = $this->connectionNumber();
		$others = $this->pdo()->query(match ($this->database) {
			'pgsql' => "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> $own",
			'mysql' => "SELECT id FROM information_schema.PROCESSLIST WHERE user = 'root' AND id <> $own",
		})->fetchAll(PDO::FETCH_COLUMN);
		if ($others === []) {
			return false;
		}
		$other = (int) $others[$dice->getInt(0, count($others) - 1)];
		try {
			$this->pdo()->exec($this->database === 'pgsql' ? "SELECT pg_terminate_backend($other)" : "KILL $other");
			return true;
		} catch (\PDOException) {
			// It has ended by itself.
			return false;
		}
	}
}
