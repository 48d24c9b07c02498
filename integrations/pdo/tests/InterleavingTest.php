<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\Tests\Support\Isolation;
use RedisLock\Pdo\Tests\Support\Peer;
use RedisLock\Pdo\Tests\Support\Problem;
use RedisLock\Pdo\Tests\Support\Server;

/**
 * Two holders of the lock meet in the database: one with the fence 5, whose lease is over, and one with 6. Each is a
 * process with a connection of its own, and every order of their steps is forced.
 */
final class InterleavingTest extends TestCase
{
	private const OLD = 5;
	private const NEW = 6;
	private const RESOURCE = "stock:\0\xff";

	/** @return iterable<string, array{string, string, bool}> driver, level, and whether the resource has a row already */
	public static function situations(): iterable
	{
		foreach (Isolation::all() as $name => [$driver, $level]) {
			yield "$name, first use" => [$driver, $level, false];
			yield "$name, known resource" => [$driver, $level, true];
		}
	}

	/**
	 * Those in which a transaction can have read something while others write.
	 *
	 * @return iterable<string, array{string, string, bool}>
	 */
	public static function situationsWithReaders(): iterable
	{
		foreach (self::situations() as $name => $situation) {
			if (!str_contains($situation[1], 'immediate')) {
				yield $name => $situation;
			}
		}
	}

	/**
	 * Those in which the writer can also commit. With SQLite's rollback journal it waits for the reader.
	 *
	 * @return iterable<string, array{string, string, bool}>
	 */
	public static function situationsWithSnapshots(): iterable
	{
		foreach (self::situationsWithReaders() as $name => $situation) {
			if ($situation[1] !== 'rollback journal, deferred') {
				yield $name => $situation;
			}
		}
	}

	/** @return array{Server, Peer, Peer} the server, the process with the old fence, the one with the new fence */
	private function meeting(string $driver, string $level, bool $known): array
	{
		$server = Server::fresh($driver);
		if ($known) {
			$pdo = $server->connect();
			$pdo->beginTransaction();
			(new \RedisLock\Pdo\FenceGuard($pdo))->check(self::RESOURCE, 4);
			$pdo->commit();
		}
		return [$server, new Peer($server), new Peer($server)];
	}

	/** Checks, writes the fence to the row 1, and leaves the transaction open. */
	private function checkAndWrite(Peer $peer, int $fence): void
	{
		$peer->ask('check', self::RESOURCE, $fence);
		$peer->ask('exec', "UPDATE writes SET value = $fence WHERE id = 1");
	}

	/** SQLite is told at BEGIN IMMEDIATE that somebody else is writing, the others at the check. */
	private function sendCheck(Server $server, Peer $peer, string $level, int $fence): void
	{
		$statements = Isolation::begin($server->driver, $level);
		$begin = array_pop($statements);
		foreach ($statements as $statement) {
			$peer->ask('exec', $statement);
		}
		if (str_contains($begin, 'IMMEDIATE')) {
			$peer->send('exec', $begin);
		} else {
			$peer->ask('exec', $begin);
			$peer->send('check', self::RESOURCE, $fence);
		}
	}

	/** The answer to the check that sendCheck() has begun. */
	private function hearCheck(Peer $peer, string $level, int $fence): mixed
	{
		$answer = $peer->hear();
		if (!str_contains($level, 'immediate')) {
			return $answer;
		}
		return $answer instanceof Problem ? $answer : $peer->attempt('check', self::RESOURCE, $fence);
	}

	private function written(Server $server): int
	{
		return (int) $server->connect()->query('SELECT value FROM writes WHERE id = 1')->fetchColumn();
	}

	private function assertRefused(Server $server, mixed $answer): void
	{
		$this->assertInstanceOf(Problem::class, $answer, 'the stale fence was let through');
		$this->assertTrue($answer->isStale() || $answer->isConflict($server->driver), "refused, but by this: $answer");
	}

	/** Runs a transaction again, as one does after a conflict. */
	private function again(Peer $peer, string $level, int $fence): mixed
	{
		$peer->attempt('exec', 'ROLLBACK');
		$peer->begin($level);
		return $peer->attempt('check', self::RESOURCE, $fence);
	}

	#[DataProvider('situations')]
	public function testTheStaleOneWaitsAndIsRefusedWhenTheNewerOneCommits(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, $known);
		$new->begin($level);
		$this->checkAndWrite($new, self::NEW);
		$this->sendCheck($server, $old, $level, self::OLD);
		$old->waitUntilBlocked();
		$new->ask('exec', 'COMMIT');

		$answer = $this->hearCheck($old, $level, self::OLD);
		$this->assertRefused($server, $answer);
		if ($answer->isConflict($driver)) {
			$answer = $this->again($old, $level, self::OLD);
			$this->assertInstanceOf(Problem::class, $answer);
		}
		$this->assertTrue($answer->isStale(), (string) $answer);
		$this->assertSame(self::NEW, $this->written($server));
	}

	#[DataProvider('situations')]
	public function testTheOlderOneGoesOnWhenTheNewerOneRollsBack(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, $known);
		$new->begin($level);
		$this->checkAndWrite($new, self::NEW);
		$this->sendCheck($server, $old, $level, self::OLD);
		$old->waitUntilBlocked();
		$new->ask('exec', 'ROLLBACK');

		$this->assertNull($this->hearCheck($old, $level, self::OLD));
		$old->ask('exec', 'UPDATE writes SET value = ' . self::OLD . ' WHERE id = 1');
		$old->ask('exec', 'COMMIT');
		$this->assertSame(self::OLD, $this->written($server));
		// And what was rolled back is forgotten, so the next holder is not refused for it.
		$new->begin($level);
		$this->checkAndWrite($new, self::NEW);
		$new->ask('exec', 'COMMIT');
		$this->assertSame(self::NEW, $this->written($server));
	}

	#[DataProvider('situations')]
	public function testTheNewerOneWaitsForTheOlderOneAndThenSeesItsWrite(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, $known);
		$old->begin($level);
		$this->checkAndWrite($old, self::OLD);
		$this->sendCheck($server, $new, $level, self::NEW);
		$new->waitUntilBlocked();
		$old->ask('exec', 'COMMIT');

		$answer = $this->hearCheck($new, $level, self::NEW);
		if ($answer instanceof Problem) {
			$this->assertTrue($answer->isConflict($driver), (string) $answer);
			$answer = $this->again($new, $level, self::NEW);
		}
		$this->assertNull($answer);
		// What a holder reads after the check is what the holder before it has written, at every level.
		$this->assertSame(self::OLD, (int) $new->ask('value', 'SELECT value FROM writes WHERE id = 1'));
		$new->ask('exec', 'UPDATE writes SET value = ' . self::NEW . ' WHERE id = 1');
		$new->ask('exec', 'COMMIT');
		$this->assertSame(self::NEW, $this->written($server));
	}

	#[DataProvider('situations')]
	public function testTheNewerOneGoesOnWhenTheOlderOneRollsBack(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, $known);
		$old->begin($level);
		$this->checkAndWrite($old, self::OLD);
		$this->sendCheck($server, $new, $level, self::NEW);
		$new->waitUntilBlocked();
		$old->ask('exec', 'ROLLBACK');

		$this->assertNull($this->hearCheck($new, $level, self::NEW));
		$this->assertSame(0, (int) $new->ask('value', 'SELECT value FROM writes WHERE id = 1'));
		$new->ask('exec', 'COMMIT');
	}

	/** A connection that breaks is a rollback that nobody has asked for. */
	#[DataProvider('situations')]
	public function testTheOlderOneGoesOnWhenTheProcessOfTheNewerOneDies(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, $known);
		$new->begin($level);
		$this->checkAndWrite($new, self::NEW);
		$this->sendCheck($server, $old, $level, self::OLD);
		$old->waitUntilBlocked();
		unset($new);

		$this->assertNull($this->hearCheck($old, $level, self::OLD));
		$old->ask('exec', 'COMMIT');
		$this->assertSame(0, $this->written($server));
	}

	#[DataProvider('situations')]
	public function testTheStaleOneIsRefusedAfterTheNewerOneHasCommitted(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, $known);
		$new->begin($level);
		$this->checkAndWrite($new, self::NEW);
		$new->ask('exec', 'COMMIT');
		$old->begin($level);
		$answer = $old->attempt('check', self::RESOURCE, self::OLD);
		$this->assertInstanceOf(Problem::class, $answer);
		$this->assertTrue($answer->isStale(), (string) $answer);
	}

	/** The transaction of the stale one has read something before, so that it has a view of the data from then. */
	#[DataProvider('situationsWithReaders')]
	public function testAnOldViewOfTheDataDoesNotLetTheStaleOneThrough(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, $known);
		$old->begin($level);
		$this->assertSame(0, (int) $old->ask('value', 'SELECT value FROM writes WHERE id = 2'));
		$new->begin($level);
		$this->checkAndWrite($new, self::NEW);
		if ($level === 'rollback journal, deferred') {
			// With a rollback journal a reader keeps the writer from committing, and the writer keeps the reader from
			// writing. The older one has to give way.
			$new->send('exec', 'COMMIT');
			$new->waitUntilBlocked();
			$this->assertRefused($server, $old->attempt('check', self::RESOURCE, self::OLD));
			$old->ask('exec', 'ROLLBACK');
			$this->assertNotInstanceOf(Problem::class, $new->hear());
		} else {
			$new->ask('exec', 'COMMIT');
			$this->assertRefused($server, $old->attempt('check', self::RESOURCE, self::OLD));
		}
		$this->assertSame(self::NEW, $this->written($server));
	}

	/** The row of the resource was deleted by the clean-up; the floor has to refuse the stale one in its place. */
	#[DataProvider('situationsWithSnapshots')]
	public function testACleanUpInBetweenDoesNotLetTheStaleOneThrough(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, false);
		$now = (int) (microtime(true) * 1e6);
		$longAgo = $now - 100 * 86400 * 1_000_000;
		if ($known) {
			$new->ask('claim', self::RESOURCE, $longAgo - 2);
		}
		$old->begin($level);
		$this->assertSame(0, (int) $old->ask('value', 'SELECT value FROM writes WHERE id = 2'));
		$new->ask('claim', self::RESOURCE, $longAgo);
		$new->ask('claim', 'another one', $now);
		$this->assertSame(1, $new->ask('cleanUp'));

		$answer = $old->attempt('check', self::RESOURCE, $longAgo - 1);
		$this->assertRefused($server, $answer);
		$old->attempt('exec', 'ROLLBACK');
		$old->begin($level);
		$answer = $old->attempt('check', self::RESOURCE, $longAgo - 1);
		$this->assertTrue($answer instanceof Problem && $answer->isStale());
	}
	/**
	 * Why the documentation says to check before the first read. The newer one has read the row when the older one
	 * writes it, and checks after that.
	 */
	#[DataProvider('situationsWithSnapshots')]
	public function testWhatWasReadBeforeTheCheckMayBeOld(string $driver, string $level, bool $known): void
	{
		[$server, $old, $new] = $this->meeting($driver, $level, $known);
		$new->begin($level);
		// At SERIALIZABLE, MariaDB locks what is read. So another row, or the older one would have to wait.
		$row = "$driver, $level" === 'mysql, serializable' ? 2 : 1;
		$this->assertSame(0, (int) $new->ask('value', "SELECT value FROM writes WHERE id = $row"));
		$old->begin($level);
		$this->checkAndWrite($old, self::OLD);
		$old->ask('exec', 'COMMIT');

		$answer = $new->attempt('check', self::RESOURCE, self::NEW);
		$conflict = in_array("$driver, $level", ['pgsql, repeatable read', 'pgsql, serializable', 'mysql, repeatable read, strict snapshots', 'sqlite, WAL, deferred'], true);
		if ($conflict) {
			$this->assertTrue($answer instanceof Problem && $answer->isConflict($driver), 'no conflict');
			return;
		}
		$this->assertNull($answer);
		$seen = (int) $new->ask('value', 'SELECT value FROM writes WHERE id = 1');
		// The one level at which nothing tells the newer one that it goes on with an old state.
		$this->assertSame("$driver, $level" === 'mysql, repeatable read' ? 0 : self::OLD, $seen);
	}
}
