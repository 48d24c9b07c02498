<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use Illuminate\Database\Eloquent\Model;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\FenceGuard;
use RedisLock\Pdo\NotInTransactionException;
use RedisLock\Pdo\StaleFenceException;
use RedisLock\Pdo\Tests\Support\Peer;
use RedisLock\Pdo\Tests\Support\Server;

/** On the connection of Laravel (illuminate/database), in its transactions, with Eloquent models. */
final class LaravelTest extends TestCase
{
	/** @param array<string, mixed> $options */
	private function manager(Server $server, array $options = []): Manager
	{
		parse_str(str_replace(';', '&', substr($server->dsn, strlen($server->driver) + 1)), $parts);
		$manager = new Manager();
		$manager->addConnection($options + match ($server->driver) {
			'pgsql' => ['driver' => 'pgsql', 'host' => $parts['host'], 'database' => $parts['dbname'], 'username' => $parts['user']],
			'mysql' => ['driver' => 'mysql', 'host' => 'localhost', 'unix_socket' => $parts['unix_socket'], 'database' => $parts['dbname'], 'username' => $parts['user'], 'password' => ''],
			'sqlite' => ['driver' => 'sqlite', 'database' => substr($server->dsn, 7)],
		});
		$manager->setAsGlobal();
		$manager->bootEloquent();
		return $manager;
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testEloquentInATransaction(string $driver): void
	{
		$connection = $this->manager(Server::fresh($driver))->getConnection();
		$guard = new FenceGuard(fn () => $connection->getPdo());
		$write = fn (int $fence) => $connection->transaction(function () use ($guard, $fence) {
			Row::findOrFail(2)->update(['value' => $fence]);
			$guard->check('a', $fence);
			Row::findOrFail(1)->update(['value' => $fence]);
		});
		$write(5);
		$write(6);
		try {
			$write(5);
			$this->fail('let through');
		} catch (StaleFenceException $exception) {
			$this->assertSame(6, $exception->largest);
		}
		$this->assertSame(0, $connection->transactionLevel());
		$this->assertSame([6, 6], Row::orderBy('id')->pluck('value')->all());
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testNestedTransactions(string $driver): void
	{
		$connection = $this->manager(Server::fresh($driver))->getConnection();
		$guard = new FenceGuard(fn () => $connection->getPdo());
		$guard->claim('a', 5);
		$connection->transaction(function (Connection $connection) use ($guard) {
			Row::findOrFail(1)->update(['value' => 1]);
			try {
				$connection->transaction(fn () => $guard->check('a', 4));
				$this->fail('let through');
			} catch (StaleFenceException) {
			}
			$connection->transaction(fn () => $guard->check('a', 6));
		});
		$this->assertSame(1, Row::findOrFail(1)->value);
		$this->expectException(StaleFenceException::class);
		$guard->claim('a', 5);
	}

	/** Laravel runs a transaction again after a conflict. A stale fence is none: it would be as stale the next time. */
	public function testAttempts(): void
	{
		$server = Server::fresh('pgsql');
		$connection = $this->manager($server, ['isolation_level' => 'REPEATABLE READ'])->getConnection();
		$guard = new FenceGuard(fn () => $connection->getPdo());
		$peer = new Peer($server);
		$peer->ask('claim', 'a', 5);
		$runs = 0;
		$write = function (int $fence) use ($guard, $peer, &$runs) {
			$runs++;
			// It has its view of the data from here on.
			Row::findOrFail(1);
			if ($runs === 1) {
				$peer->ask('claim', 'a', 6);
			}
			$guard->check('a', $fence);
		};
		$connection->transaction(fn () => $write(7), 3);
		$this->assertSame(2, $runs);

		$runs = 1;
		try {
			$connection->transaction(fn () => $write(6), 3);
			$this->fail('let through');
		} catch (StaleFenceException) {
			$this->assertSame(2, $runs, 'tried again with a stale fence');
		}
	}

	/** Laravel begins with SQL of its own then, which PDO does not notice on SQLite. */
	public function testSqliteWithImmediateTransactions(): void
	{
		$connection = $this->manager(Server::fresh('sqlite'), ['transaction_mode' => 'IMMEDIATE'])->getConnection();
		$guard = new FenceGuard(fn () => $connection->getPdo());
		$connection->transaction(fn () => $guard->check('a', 5));
		$this->expectException(StaleFenceException::class);
		$connection->transaction(fn () => $guard->check('a', 4));
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testANewConnection(string $driver): void
	{
		$connection = $this->manager(Server::fresh($driver))->getConnection();
		$asClosure = new FenceGuard(fn () => $connection->getPdo());
		$asObject = new FenceGuard($connection->getPdo());
		$connection->transaction(fn () => $asClosure->check('a', 5));
		$connection->transaction(fn () => $asObject->check('a', 5));
		// What Laravel does when the server has closed the connection.
		$connection->reconnect();
		$connection->transaction(fn () => $asClosure->check('a', 6));
		try {
			$connection->transaction(fn () => $asObject->check('a', 7));
			$this->fail('it has checked on one connection for a transaction on another one');
		} catch (NotInTransactionException) {
			$this->addToAssertionCount(1);
		}
	}
}

final class Row extends Model
{
	public $timestamps = false;
	protected $table = 'writes';
	protected $guarded = [];
}
