<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests\Support;

use PDO;
use RedisLock\Pdo\Schema;

/** One of the databases that with-database has started, or a new SQLite file for every test. */
final class Server
{
	public const DRIVERS = ['pgsql', 'mysql', 'sqlite'];

	private function __construct(
		public readonly string $driver,
		public readonly string $dsn,
	) {
	}

	/** With an empty guard table, and an empty table `writes` for what the test's transactions write. */
	public static function fresh(string $driver): self
	{
		$server = new self($driver, match ($driver) {
			'pgsql' => self::environment('REDISLOCK_PGSQL_DSN'),
			'mysql' => self::environment('REDISLOCK_MYSQL_DSN'),
			'sqlite' => 'sqlite:' . self::environment('REDISLOCK_DATABASE_FOLDER') . '/' . bin2hex(random_bytes(6)) . '.sqlite',
		});
		$pdo = $server->connect();
		if ($driver === 'sqlite') {
			$pdo->exec('PRAGMA journal_mode = WAL');
		}
		$pdo->exec('DROP TABLE IF EXISTS redislock_fences');
		$pdo->exec('DROP TABLE IF EXISTS writes');
		Schema::create($pdo);
		$pdo->exec('CREATE TABLE writes (id INT NOT NULL PRIMARY KEY, value INT NOT NULL)' . ($driver === 'mysql' ? ' ENGINE = InnoDB' : ''));
		$pdo->exec('INSERT INTO writes (id, value) VALUES (1, 0), (2, 0)');
		return $server;
	}

	/** @param array<int, mixed> $attributes */
	public function connect(array $attributes = []): PDO
	{
		$pdo = new PDO($this->dsn, null, null, $attributes + [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);
		// Long enough for everything that is meant to wait, short enough for a test that hangs.
		$pdo->exec(match ($this->driver) {
			'pgsql' => "SET lock_timeout = '20s'",
			'mysql' => 'SET innodb_lock_wait_timeout = 20',
			'sqlite' => 'PRAGMA busy_timeout = 20000',
		});
		return $pdo;
	}

	/** @return array<string, array{string}> for a data provider */
	public static function all(): array
	{
		return array_combine(self::DRIVERS, array_map(static fn (string $driver) => [$driver], self::DRIVERS));
	}

	private static function environment(string $name): string
	{
		$value = getenv($name);
		return is_string($value) && $value !== '' ? $value : throw new \RuntimeException("$name is not set: use integrations/pdo/test");
	}
}
