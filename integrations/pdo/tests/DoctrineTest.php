<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use Doctrine\DBAL\Connection;
use Doctrine\DBAL\DriverManager;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\FenceGuard;
use RedisLock\Pdo\NotInTransactionException;
use RedisLock\Pdo\StaleFenceException;
use RedisLock\Pdo\Tests\Support\Server;

/** On the connection of Doctrine DBAL, in its transactions. */
final class DoctrineTest extends TestCase
{
	private function connect(string $driver): Connection
	{
		$dsn = Server::fresh($driver)->dsn;
		parse_str(str_replace(';', '&', substr($dsn, strlen($driver) + 1)), $parts);
		return DriverManager::getConnection(match ($driver) {
			'pgsql' => ['driver' => 'pdo_pgsql', 'host' => $parts['host'], 'dbname' => $parts['dbname'], 'user' => $parts['user']],
			'mysql' => ['driver' => 'pdo_mysql', 'unix_socket' => $parts['unix_socket'], 'dbname' => $parts['dbname'], 'user' => $parts['user']],
			'sqlite' => ['driver' => 'pdo_sqlite', 'path' => substr($dsn, 7)],
		});
	}

	private function value(Connection $connection): int
	{
		return (int) $connection->fetchOne('SELECT value FROM writes WHERE id = 1');
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testTransactional(string $driver): void
	{
		$connection = $this->connect($driver);
		$guard = new FenceGuard(fn () => $connection->getNativeConnection());
		$write = fn (int $fence) => $connection->transactional(function (Connection $connection) use ($guard, $fence) {
			$connection->update('writes', ['value' => 100], ['id' => 2]);
			$guard->check('a', $fence);
			$connection->update('writes', ['value' => $fence], ['id' => 1]);
		});
		$write(5);
		$write(6);
		try {
			$write(5);
			$this->fail('let through');
		} catch (StaleFenceException $exception) {
			$this->assertSame(6, $exception->largest);
		}
		$this->assertFalse($connection->isTransactionActive());
		$this->assertSame(6, $this->value($connection));
		$write(7);
		$this->assertSame(7, $this->value($connection));
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testNestedTransactions(string $driver): void
	{
		$connection = $this->connect($driver);
		$guard = new FenceGuard(fn () => $connection->getNativeConnection());
		$guard->claim('a', 5);
		// DBAL 3 does this only if asked to. Without it, an inner rollback is one of the whole.
		if (!$connection->getNestTransactionsWithSavepoints()) {
			$connection->setNestTransactionsWithSavepoints(true);
		}
		$connection->beginTransaction();
		$connection->update('writes', ['value' => 1], ['id' => 1]);
		try {
			$connection->transactional(fn () => $guard->check('a', 4));
			$this->fail('let through');
		} catch (StaleFenceException) {
		}
		$connection->transactional(fn () => $guard->check('a', 6));
		$connection->commit();
		$this->assertSame(1, $this->value($connection));
		$this->expectException(StaleFenceException::class);
		$guard->claim('a', 5);
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testWithoutATransaction(string $driver): void
	{
		$connection = $this->connect($driver);
		$this->expectException(NotInTransactionException::class);
		(new FenceGuard($connection->getNativeConnection()))->check('a', 5);
	}
}
