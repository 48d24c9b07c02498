<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use LogicException;
use PDO;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\CleanUp;
use RedisLock\Pdo\FenceGuard;
use RedisLock\Pdo\StaleFenceException;
use RedisLock\Pdo\Tests\Support\Peer;
use RedisLock\Pdo\Tests\Support\Server;

final class CleanUpTest extends TestCase
{
	private const DAY = 86400 * 1_000_000;

	private static function daysAgo(int $days): int
	{
		return (int) (microtime(true) * 1e6) - $days * self::DAY;
	}

	private static function rows(PDO $pdo): int
	{
		return (int) $pdo->query('SELECT COUNT(*) FROM redislock_fences')->fetchColumn() - 1;
	}

	private static function floor(PDO $pdo): int
	{
		return (int) $pdo->query('SELECT fence FROM redislock_fences ORDER BY resource')->fetchColumn();
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testDeletesOldRowsAndKeepsTheirProtection(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$old = self::daysAgo(90);
		foreach (["old\0", 'older', 'new'] as $resource) {
			$guard->claim($resource, ['old' . "\0" => $old, 'older' => $old - self::DAY, 'new' => self::daysAgo(1)][$resource]);
		}
		$this->assertSame(2, (new CleanUp($pdo))->run());
		$this->assertSame(1, self::rows($pdo));
		$this->assertSame(0, (new CleanUp($pdo))->run());

		foreach (["old\0" => $old, 'older' => $old - self::DAY] as $resource => $last) {
			try {
				$guard->claim($resource, $last - 1);
				$this->fail('a stale fence was let through after the clean-up');
			} catch (StaleFenceException $exception) {
				$this->assertSame(self::floor($pdo), $exception->largest);
			}
		}
		$this->assertSame(1, self::rows($pdo), 'what was refused has left a row');
		$guard->claim("old\0", self::daysAgo(0));
		$guard->claim('new', self::daysAgo(1) + 1_000_000);
	}

	/** A caller that ignores the exception leaves a row. It must not know less than the floor. */
	#[DataProviderExternal(Server::class, 'all')]
	public function testAnIgnoredExceptionLeavesNoGap(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$guard->claim('a', self::daysAgo(90));
		$guard->claim('b', self::daysAgo(0));
		$this->assertSame(1, (new CleanUp($pdo))->run());
		$pdo->beginTransaction();
		try {
			$guard->check('a', self::daysAgo(95));
			$this->fail('let through');
		} catch (StaleFenceException) {
		}
		$pdo->commit();
		$this->expectException(StaleFenceException::class);
		$guard->claim('a', self::daysAgo(94));
	}

	/** Not on SQLite: one transaction writes at a time, there is no meanwhile. */
	#[TestWith(['pgsql'])]
	#[TestWith(['mysql'])]
	public function testARowThatIsUsedMeanwhileStays(string $driver): void
	{
		$server = Server::fresh($driver);
		$pdo = $server->connect();
		$guard = new FenceGuard($pdo);
		$guard->claim('a', self::daysAgo(90));
		$guard->claim('b', self::daysAgo(0));
		$peer = new Peer($server);
		$pdo->beginTransaction();
		$guard->check('a', $fence = self::daysAgo(0));
		$peer->send('cleanUp');
		$peer->waitUntilBlocked();
		$pdo->commit();
		$this->assertSame(0, $peer->hear());
		$this->assertSame(2, self::rows($pdo));
		$this->expectException(StaleFenceException::class);
		$guard->claim('a', $fence - 1);
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testTheFloorNeverGoesBack(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$guard->claim('a', self::daysAgo(100));
		$guard->claim('b', self::daysAgo(0));
		(new CleanUp($pdo))->run(30 * 86400.0);
		$floor = self::floor($pdo);
		$this->assertEqualsWithDelta(self::daysAgo(30), $floor, 60e6);
		$this->assertSame(0, (new CleanUp($pdo))->run(90 * 86400.0));
		$this->assertSame($floor, self::floor($pdo));
	}

	/** A clock in the far future, here or at Redis, must not move the floor there: it could never come back. */
	#[DataProviderExternal(Server::class, 'all')]
	public function testTheFloorIsNoFurtherThanClockAndFences(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$guard->claim('mad', self::daysAgo(-10_000));
		(new CleanUp($pdo))->run();
		$this->assertEqualsWithDelta(self::daysAgo(62), self::floor($pdo), 60e6);

		$pdo = Server::fresh($driver)->connect();
		$guard = new FenceGuard($pdo);
		$guard->claim('a', self::daysAgo(500));
		// To the table, our clock is 500 days ahead.
		$this->assertSame(0, (new CleanUp($pdo))->run());
		$this->assertEqualsWithDelta(self::daysAgo(562), self::floor($pdo), 60e6);
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testFencesThatAreNoTimesAreLeftAlone(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		(new FenceGuard($pdo))->claim('counter', 12);
		try {
			(new CleanUp($pdo))->run();
			$this->fail('it cannot know what is old');
		} catch (LogicException $exception) {
			$this->assertStringContainsString('are not times', $exception->getMessage());
		}
		$this->assertSame(0, self::floor($pdo));
	}

	#[DataProviderExternal(Server::class, 'all')]
	public function testLimitAndArguments(string $driver): void
	{
		$pdo = Server::fresh($driver)->connect();
		$this->assertSame(0, (new CleanUp($pdo))->run(), 'an empty table');
		$guard = new FenceGuard($pdo);
		for ($i = 0; $i < 5; $i++) {
			$guard->claim("r$i", self::daysAgo(90));
		}
		$guard->claim('new', self::daysAgo(0));
		$this->assertSame(2, (new CleanUp($pdo))->run(limit: 2));
		$this->assertSame(3, (new CleanUp($pdo))->run(limit: 10));
		$this->assertSame(1, self::rows($pdo));
		foreach ([[0.0, 1], [60.0, 1], [-1.0, 1], [NAN, 1], [INF, 1], [86400.0, 0]] as $arguments) {
			try {
				(new CleanUp($pdo))->run(...$arguments);
				$this->fail(json_encode($arguments, JSON_PARTIAL_OUTPUT_ON_ERROR) . ' was taken');
			} catch (\ValueError) {
			}
		}
		$pdo->beginTransaction();
		$this->expectException(LogicException::class);
		(new CleanUp($pdo))->run();
	}
}
