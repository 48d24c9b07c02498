<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\Tests\Support\Peer;
use RedisLock\Pdo\Tests\Support\Problem;
use RedisLock\Pdo\Tests\Support\Server;

/** claim() has a transaction of its own, so it can give an answer where check() hands on a conflict of the database. */
final class ClaimTest extends TestCase
{
	/** The default of a connection, which claim() must not depend on. */
	private const SERIALIZABLE = [
		'pgsql' => 'SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE',
		'mysql' => 'SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE',
		'sqlite' => 'PRAGMA foreign_keys = ON',
	];

	#[DataProviderExternal(Server::class, 'all')]
	public function testWaitsForAnOpenCheckAndThenAnswers(string $driver): void
	{
		$server = Server::fresh($driver);
		[$one, $other] = [new Peer($server), new Peer($server)];
		$other->ask('exec', self::SERIALIZABLE[$driver]);

		$one->ask('exec', 'BEGIN');
		$one->ask('check', 'a', 5);
		$other->send('claim', 'a', 6);
		$other->waitUntilBlocked();
		$one->ask('exec', 'COMMIT');
		$this->assertNull($other->hear());

		$one->ask('exec', 'BEGIN');
		$one->ask('check', 'a', 8);
		$other->send('claim', 'a', 7);
		$other->waitUntilBlocked();
		$one->ask('exec', 'COMMIT');
		$answer = $other->hear();
		$this->assertTrue($answer instanceof Problem && $answer->isStale(), (string) $answer);
	}

	/**
	 * Several wait for the first row of a resource, and its transaction is rolled back. Then MariaDB sees a deadlock
	 * between those who have waited, and ends one of them: claim() has to try again.
	 */
	#[TestWith(['pgsql'])]
	#[TestWith(['mysql'])]
	public function testSeveralThatWaitedForARollback(string $driver): void
	{
		$server = Server::fresh($driver);
		$first = new Peer($server);
		$waiting = [5 => new Peer($server), 6 => new Peer($server), 7 => new Peer($server)];
		$first->ask('exec', 'BEGIN');
		$first->ask('check', 'a', 4);
		foreach ($waiting as $fence => $peer) {
			$peer->send('claim', 'a', $fence);
			$peer->waitUntilBlocked();
		}
		$first->ask('exec', 'ROLLBACK');
		foreach ($waiting as $fence => $peer) {
			$answer = $peer->hear();
			$stale = $answer instanceof Problem && $answer->isStale();
			$this->assertTrue($answer === null || ($stale && $fence < 7), "$fence: $answer");
		}
		$this->assertSame(7, (int) $server->connect()->query('SELECT MAX(fence) FROM redislock_fences')->fetchColumn());
	}
}
