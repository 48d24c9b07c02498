<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use Closure;
use LogicException;
use PDO;
use PDOException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\FenceGuard;
use RedisLock\Pdo\NotInTransactionException;
use RedisLock\Pdo\Schema;
use RedisLock\Pdo\Tests\Support\Peer;
use RedisLock\Pdo\Tests\Support\Server;

/** Without an open transaction a check protects nothing. What counts is what the server thinks, not what PDO thinks. */
final class TransactionTest extends TestCase
{
	/** @return iterable<string, array{string, Closure(PDO): mixed}> */
	public static function notInTransaction(): iterable
	{
		foreach (Server::DRIVERS as $driver) {
			yield "$driver, never begun" => [$driver, fn (PDO $pdo) => null];
			yield "$driver, committed" => [$driver, fn (PDO $pdo) => $pdo->beginTransaction() && $pdo->commit()];
			yield "$driver, rolled back" => [$driver, fn (PDO $pdo) => $pdo->beginTransaction() && $pdo->rollBack()];
			yield "$driver, begun by PDO and committed by SQL" => [$driver, fn (PDO $pdo) => $pdo->beginTransaction() && $pdo->exec('COMMIT')];
			yield "$driver, begun and rolled back by SQL" => [$driver, function (PDO $pdo) {
				$pdo->exec('BEGIN');
				$pdo->exec('ROLLBACK');
			}];
		}
		// Committed without a word.
		yield 'mysql, CREATE TABLE' => ['mysql', fn (PDO $pdo) => $pdo->beginTransaction() && $pdo->exec('CREATE TEMPORARY TABLE t1 (a INT)') !== $pdo->exec('CREATE OR REPLACE TABLE t2 (a INT)')];
		// The conflict clause ends the whole transaction, and PDO does not hear of it.
		yield 'sqlite, INSERT OR ROLLBACK' => ['sqlite', function (PDO $pdo) {
			$pdo->beginTransaction();
			try {
				$pdo->exec('INSERT OR ROLLBACK INTO writes (id, value) VALUES (1, 1)');
			} catch (PDOException) {
			}
		}];
	}

	/** @param Closure(PDO): mixed $before */
	#[DataProvider('notInTransaction')]
	public function testNotInATransaction(string $driver, Closure $before): void
	{
		$pdo = Server::fresh($driver)->connect();
		$before($pdo);
		$guard = new FenceGuard($pdo);
		try {
			$guard->check('a', 5);
			$this->fail('no transaction is open');
		} catch (NotInTransactionException) {
		}
		$guard->claim('a', 4);
		$this->addToAssertionCount(1);
	}

	/** @return iterable<string, array{string, Closure(PDO): mixed}> */
	public static function inTransaction(): iterable
	{
		foreach (Server::DRIVERS as $driver) {
			yield "$driver, by PDO" => [$driver, fn (PDO $pdo) => $pdo->beginTransaction()];
			yield "$driver, by SQL" => [$driver, fn (PDO $pdo) => $pdo->exec('BEGIN')];
			yield "$driver, in a savepoint" => [$driver, fn (PDO $pdo) => $pdo->beginTransaction() && $pdo->exec('SAVEPOINT s')];
		}
		yield 'sqlite, BEGIN IMMEDIATE' => ['sqlite', fn (PDO $pdo) => $pdo->exec('BEGIN IMMEDIATE')];
		yield 'sqlite, BEGIN EXCLUSIVE' => ['sqlite', fn (PDO $pdo) => $pdo->exec('BEGIN EXCLUSIVE')];
		yield 'sqlite, SAVEPOINT alone' => ['sqlite', fn (PDO $pdo) => $pdo->exec('SAVEPOINT s')];
		yield 'mysql, without autocommit' => ['mysql', fn (PDO $pdo) => $pdo->setAttribute(PDO::ATTR_AUTOCOMMIT, false)];
		yield 'pgsql, a table made in it' => ['pgsql', fn (PDO $pdo) => $pdo->beginTransaction() && $pdo->exec('CREATE TEMPORARY TABLE t1 (a INT)')];
	}

	/** @param Closure(PDO): mixed $begin */
	#[DataProvider('inTransaction')]
	public function testInATransaction(string $driver, Closure $begin): void
	{
		$server = Server::fresh($driver);
		$pdo = $server->connect();
		$begin($pdo);
		$guard = new FenceGuard($pdo);
		$guard->check('a', 5);
		$pdo->exec('UPDATE writes SET value = 5 WHERE id = 1');
		$this->assertSame(0, (int) $server->connect()->query('SELECT value FROM writes WHERE id = 1')->fetchColumn(), 'the check has committed something');
		try {
			$guard->claim('a', 6);
			$this->fail('claim() in a transaction');
		} catch (LogicException $exception) {
			$this->assertStringContainsString('check()', $exception->getMessage());
		}
		$pdo->exec('COMMIT');
		$other = $server->connect();
		$this->assertSame(5, (int) $other->query('SELECT value FROM writes WHERE id = 1')->fetchColumn());
		$this->assertSame(5, (int) $other->query('SELECT MAX(fence) FROM redislock_fences')->fetchColumn());
	}

	/** The check must not wake a transaction that has failed. */
	public function testAFailedTransactionOfPostgresStaysFailed(): void
	{
		$pdo = Server::fresh('pgsql')->connect();
		$pdo->beginTransaction();
		try {
			$pdo->exec('SELECT no_such_column');
		} catch (PDOException) {
		}
		$this->expectException(PDOException::class);
		$this->expectExceptionMessage('25P02');
		(new FenceGuard($pdo))->check('a', 1);
	}

	/**
	 * MariaDB rolls the whole transaction of a deadlock's victim back. PDO goes on to say that one is open, and the next
	 * statements commit one by one.
	 */
	public function testACallerThatGoesOnAfterADeadlockIsFoundOut(): void
	{
		$server = Server::fresh('mysql');
		$pdo = $server->connect();
		$peer = new Peer($server);
		$peer->ask('exec', 'START TRANSACTION');
		// The transaction that has changed more is not chosen as the victim.
		$peer->ask('exec', 'CREATE TEMPORARY TABLE many (a INT) ENGINE = InnoDB');
		$peer->ask('exec', 'INSERT INTO many SELECT seq FROM seq_1_to_100');
		$peer->ask('exec', 'UPDATE writes SET value = 1 WHERE id = 1');
		$pdo->beginTransaction();
		$pdo->exec('UPDATE writes SET value = 2 WHERE id = 2');
		$peer->send('exec', 'UPDATE writes SET value = 1 WHERE id = 2');
		$peer->waitUntilBlocked();
		try {
			$pdo->exec('UPDATE writes SET value = 2 WHERE id = 1');
			$this->fail('no deadlock');
		} catch (PDOException $exception) {
			$this->assertSame(1213, $exception->errorInfo[1]);
		}
		$this->assertTrue($pdo->inTransaction(), 'PDO knows it: then the guard could ask it before the check');
		try {
			(new FenceGuard($pdo))->check('a', 5);
			$this->fail('let through outside of a transaction');
		} catch (NotInTransactionException $exception) {
			$this->assertStringContainsString('ended by the server', $exception->getMessage());
		}
		$this->assertSame(1, $peer->hear());
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testSchema(string $driver): void
	{
		$server = Server::fresh($driver);
		$pdo = $server->connect();
		(new FenceGuard($pdo))->claim('a', 5);
		Schema::create($pdo);
		foreach (Schema::sql($driver) as $statement) {
			$pdo->exec($statement);
		}
		$this->assertSame('5', (string) $pdo->query('SELECT MAX(fence) FROM redislock_fences')->fetchColumn(), 'what was there is not there any more');
		$pdo->beginTransaction();
		if ($driver === 'mysql') {
			try {
				Schema::create($pdo, 'other');
				$this->fail('that has committed the transaction');
			} catch (LogicException) {
			}
			$this->assertTrue($pdo->inTransaction());
		} else {
			Schema::create($pdo, 'other');
			$pdo->rollBack();
			$this->expectException(PDOException::class);
			$pdo->exec('SELECT * FROM other');
		}
	}

	public function testTableNames(): void
	{
		$this->assertStringContainsString('"app"."fences"', Schema::sql('pgsql', 'app.fences')[0]);
		$this->assertStringContainsString('`app`.`fences`', Schema::sql('mysql', 'app.fences')[0]);
		foreach (['', 'a b', 'a"b', 'a`b', 'a;b', "a\n", '1a', 'a.b.c', '.a', 'a.', 'ä', str_repeat('a', 64)] as $name) {
			foreach ([fn () => Schema::sql('pgsql', $name), fn () => new FenceGuard(new PDO('sqlite::memory:'), $name), fn () => new \RedisLock\Pdo\CleanUp(new PDO('sqlite::memory:'), $name)] as $use) {
				try {
					$use();
					$this->fail("took the table name $name");
				} catch (\ValueError) {
					$this->addToAssertionCount(1);
				}
			}
		}
	}

	/** The network costs more than the statement. */
	public function testOneRoundTripForAKnownResource(): void
	{
		$mysql = Server::fresh('mysql')->connect([PDO::ATTR_EMULATE_PREPARES => false]);
		$guard = new FenceGuard($mysql);
		$guard->claim('a', 5);
		$mysql->beginTransaction();
		$count = fn () => (int) $mysql->query("SHOW SESSION STATUS LIKE 'Questions'")->fetchColumn(1);
		$cost = -$count() + $count();
		$before = $count();
		$guard->check('a', 6);
		$this->assertSame(1, $count() - $before - $cost);
		$mysql->commit();

		$server = Server::fresh('pgsql');
		$postgres = $server->connect([PDO::ATTR_EMULATE_PREPARES => false]);
		$guard = new FenceGuard($postgres);
		$guard->claim('a', 5);
		$log = preg_replace('/^.*host=([^;]*).*$/', '$1', $server->dsn) . '/postgres.log';
		// A statement that says that everything before it is in the log, and where.
		$mark = function (string $text) use ($postgres, $log): int {
			$postgres->exec("/* $text */ SELECT 1");
			$end = hrtime(true) + 20e9;
			while (($at = strrpos((string) file_get_contents($log), "/* $text */")) === false) {
				$this->assertLessThan($end, hrtime(true), 'the statement does not come to the log');
			}
			return $at;
		};
		$postgres->exec('SET log_min_duration_statement = 0');
		$postgres->beginTransaction();
		$name = bin2hex(random_bytes(4));
		$begin = $mark("begin $name");
		$guard->check('a', 6);
		$said = substr((string) file_get_contents($log), $begin, $mark("end $name") - $begin);
		// These messages travel together. A statement that the server keeps would have a name, and be thrown away later.
		$this->assertSame(1, preg_match_all('/ms  parse <unnamed>: INSERT/', $said), $said);
		$this->assertSame(1, preg_match_all('/ms  parse /', $said), $said);
		$this->assertStringNotContainsString('DEALLOCATE', $said);
	}
}
