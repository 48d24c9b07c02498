<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use PDO;
use PDOException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\FenceGuard;
use RedisLock\Pdo\StaleFenceException;
use RedisLock\Pdo\Tests\Support\Server;

/** One connection: what the guard lets through, whatever the attributes of the connection. */
final class FenceGuardTest extends TestCase
{
	/** @return iterable<string, array{string, array<int, mixed>}> */
	public static function connections(): iterable
	{
		$attributes = [
			'default' => [],
			'native prepares' => [PDO::ATTR_EMULATE_PREPARES => false],
			'emulated prepares' => [PDO::ATTR_EMULATE_PREPARES => true],
			'strings' => [PDO::ATTR_STRINGIFY_FETCHES => true, PDO::ATTR_CASE => PDO::CASE_UPPER],
			'objects' => [PDO::ATTR_DEFAULT_FETCH_MODE => PDO::FETCH_OBJ],
			'silent' => [PDO::ATTR_ERRMODE => PDO::ERRMODE_SILENT],
		];
		foreach (Server::DRIVERS as $driver) {
			foreach ($attributes as $name => $values) {
				yield "$driver, $name" => [$driver, $values];
			}
		}
		yield 'mysql, found rows' => ['mysql', [PDO::MYSQL_ATTR_FOUND_ROWS => true]];
		yield 'mysql, unbuffered' => ['mysql', [PDO::MYSQL_ATTR_USE_BUFFERED_QUERY => false]];
		yield 'pgsql, no prepares' => ['pgsql', [PDO::PGSQL_ATTR_DISABLE_PREPARES => true]];
	}

	/** @param array<int, mixed> $attributes */
	#[DataProvider('connections')]
	public function testRefusesSmallerFencesOnly(string $driver, array $attributes): void
	{
		$pdo = Server::fresh($driver)->connect($attributes);
		$guard = new FenceGuard($pdo);
		$check = function (int $fence) use ($pdo, $guard): void {
			$pdo->beginTransaction();
			try {
				$guard->check('account:7', $fence);
				$pdo->commit();
			} catch (StaleFenceException $exception) {
				$pdo->rollBack();
				throw $exception;
			}
		};
		$check(5);
		$check(5);
		$check(9);
		foreach ([8, 5, 1] as $stale) {
			try {
				$check($stale);
				$this->fail("$stale was let through after 9");
			} catch (StaleFenceException $exception) {
				$this->assertSame(['account:7', $stale, 9], [$exception->resource, $exception->fence, $exception->largest]);
			}
		}
		$check(9);
		$check(FenceGuard::MAX_FENCE);
		$check(FenceGuard::MAX_FENCE);
		try {
			$check(FenceGuard::MAX_FENCE - 1);
			$this->fail('2^53 - 2 was let through after 2^53 - 1');
		} catch (StaleFenceException $exception) {
			$this->assertSame(FenceGuard::MAX_FENCE, $exception->largest);
		}
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testSeveralChecksInOneTransaction(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$pdo->beginTransaction();
		$guard->check('a', 5);
		$guard->check('a', 5);
		$guard->check('b', 3);
		$guard->check('a', 6);
		try {
			$guard->check('a', 5);
			$this->fail('5 was let through after 6');
		} catch (StaleFenceException) {
		}
		$guard->check('b', 3);
		$pdo->commit();
		$this->assertSame(['a' => 6, 'b' => 3], self::table($pdo));
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testARollbackForgetsTheFence(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$pdo->beginTransaction();
		$guard->check('a', 5);
		$pdo->rollBack();
		$this->assertSame([], self::table($pdo));
		$guard->claim('a', 4);
		$pdo->beginTransaction();
		$pdo->exec('SAVEPOINT s');
		$guard->check('a', 7);
		$pdo->exec('ROLLBACK TO SAVEPOINT s');
		$guard->check('a', 6);
		$pdo->commit();
		$this->assertSame(['a' => 6], self::table($pdo));
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testNamesAreBytes(string $driver): void
	{
		$names = ['a', 'A', 'a ', ' a', "a\0", "\0", ' ', 'ä', "\xe4", "a\u{308}", "'", '"', '\\', "\\'", '?', ':name', '%', '0', '00', str_repeat("\xff", 1024), str_repeat("\xff", 1023), implode('', array_map(chr(...), range(0, 255)))];
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		foreach ($names as $number => $name) {
			$guard->claim($name, 100 + $number);
		}
		// Had two of them the same row, one would now be stale, or have the larger fence of the other.
		foreach ($names as $number => $name) {
			$pdo->beginTransaction();
			$guard->check($name, 100 + $number);
			try {
				$guard->check($name, 99 + $number);
				$this->fail('let through');
			} catch (StaleFenceException $exception) {
				$this->assertSame([$name, 100 + $number], [$exception->resource, $exception->largest]);
				$this->assertMatchesRegularExpression('/^[ -~]+$/D', str_replace('…', '', $exception->getMessage()));
			}
			$pdo->rollBack();
		}
		$this->assertCount(count($names), self::table($pdo));
	}

	/** @return iterable<string, array{string, int}> */
	public static function wrongArguments(): iterable
	{
		yield 'no resource' => ['', 1];
		yield 'resource too long' => [str_repeat('x', 1025), 1];
		yield 'zero' => ['a', 0];
		yield 'negative' => ['a', -1];
		yield '2^53' => ['a', 1 << 53];
		yield 'the largest int' => ['a', PHP_INT_MAX];
		yield 'the smallest int' => ['a', PHP_INT_MIN];
	}

	#[DataProvider('wrongArguments')]
	public function testWrongArguments(string $resource, int $fence): void
	{
		$pdo = Server::fresh('sqlite')->connect();
		$guard = new FenceGuard($pdo);
		$pdo->beginTransaction();
		foreach (['check' => [$resource, $fence], 'claim' => [$resource, $fence], 'checkAll' => [['b' => 1, $resource => $fence]]] as $method => $arguments) {
			try {
				$guard->$method(...$arguments);
				$this->fail("$method() took it");
			} catch (\ValueError $error) {
				$this->assertMatchesRegularExpression('/^A (resource has|fence is)/', $error->getMessage());
			}
		}
		$pdo->commit();
		$this->assertSame([], self::table($pdo), 'something was written before the arguments were looked at');
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testCheckAll(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$guard->claim('12', 50);
		$pdo->beginTransaction();
		$guard->checkAll(['b' => 7, 12 => 50, 'a' => 8]);
		$pdo->commit();
		$this->assertSame(['12' => 50, 'a' => 8, 'b' => 7], self::table($pdo));
		$pdo->beginTransaction();
		try {
			$guard->checkAll(['a' => 9, 'b' => 6]);
			$this->fail('let through');
		} catch (StaleFenceException $exception) {
			$this->assertSame(['b', 6, 7], [$exception->resource, $exception->fence, $exception->largest]);
		}
		$pdo->rollBack();
		$this->assertSame(['12' => 50, 'a' => 8, 'b' => 7], self::table($pdo));
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testClaim(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$guard->claim('a', 5);
		$guard->claim('a', 5);
		try {
			$guard->claim('a', 4);
			$this->fail('let through');
		} catch (StaleFenceException $exception) {
			$this->assertSame(5, $exception->largest);
		}
		// Neither outcome leaves a transaction open.
		$pdo->beginTransaction();
		$pdo->exec('UPDATE writes SET value = 1');
		$pdo->commit();
		$this->assertSame(['a' => 5], self::table($pdo));
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testATableOfAnotherName(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		// A word of SQL, and capital letters.
		$pdo->exec('DROP TABLE IF EXISTS ' . ($driver === 'mysql' ? '`Select`' : '"Select"'));
		\RedisLock\Pdo\Schema::create($pdo, 'Select');
		(new FenceGuard($pdo, 'Select'))->claim('a', 5);
		$this->assertSame([], self::table($pdo));
		$this->assertSame(2, (int) $pdo->query('SELECT COUNT(*) FROM ' . ($driver === 'mysql' ? '`Select`' : '"Select"'))->fetchColumn());
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testErrorsOfTheDatabaseComeThrough(string $driver): void
	{
		foreach ([PDO::ERRMODE_EXCEPTION, PDO::ERRMODE_SILENT] as $mode) {
			$pdo = Server::fresh($driver)->connect([PDO::ATTR_ERRMODE => $mode]);
			$guard = new FenceGuard($pdo, 'no_such_table');
			$pdo->beginTransaction();
			try {
				$guard->check('a', 1);
				$this->fail('there is no table');
			} catch (PDOException $exception) {
				$this->assertSame(['pgsql' => '42P01', 'mysql' => '42S02', 'sqlite' => 'HY000'][$driver], $exception->errorInfo[0]);
				$this->assertStringContainsString('no_such_table', $exception->getMessage());
			}
			$pdo->rollBack();
		}
	}

	/** A table without the floor could not tell what was forgotten. */
	#[DataProviderExternal(Server::class, 'all')]
	public function testATableWithoutTheFloorIsAnError(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$pdo->exec('DELETE FROM redislock_fences');
		$pdo->beginTransaction();
		$this->expectException(\RuntimeException::class);
		$this->expectExceptionMessage('is not complete');
		(new FenceGuard($pdo))->check('a', 1);
	}

	public function testAClosureIsAskedEveryTime(): void
	{
		$connections = [Server::fresh('sqlite')->connect(), Server::fresh('sqlite')->connect()];
		$current = 0;
		$guard = new FenceGuard(function () use ($connections, &$current) {
			return $connections[$current];
		});
		$guard->claim('a', 5);
		$current = 1;
		$guard->claim('a', 4);
		$this->assertSame([['a' => 5], ['a' => 4]], array_map(self::table(...), $connections));
	}

	public function testAnotherDriver(): void
	{
		$pdo = $this->createStub(PDO::class);
		$pdo->method('getAttribute')->willReturn('oci');
		$this->expectException(\ValueError::class);
		$this->expectExceptionMessage('"oci"');
		(new FenceGuard($pdo))->check('a', 1);
	}

	/** @return array<string, int> resource => fence, without the floor */
	private static function table(PDO $pdo): array
	{
		$hex = ['pgsql' => "encode(resource, 'hex')", 'mysql' => 'HEX(resource)', 'sqlite' => 'hex(resource)'][$pdo->getAttribute(PDO::ATTR_DRIVER_NAME)];
		$table = [];
		foreach ($pdo->query("SELECT $hex, fence FROM redislock_fences ORDER BY resource")->fetchAll(PDO::FETCH_NUM) as [$resource, $fence]) {
			$table[hex2bin($resource)] = (int) $fence;
		}
		unset($table['']);
		return $table;
	}
}
