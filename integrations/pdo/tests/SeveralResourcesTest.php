<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\Tests\Support\Isolation;
use RedisLock\Pdo\Tests\Support\Peer;
use RedisLock\Pdo\Tests\Support\Problem;
use RedisLock\Pdo\Tests\Support\Server;

/** Two transactions that want the same two resources. SQLite is left out: it lets one of them write at a time. */
final class SeveralResourcesTest extends TestCase
{
	/** @return iterable<string, array{string, string}> */
	public static function situations(): iterable
	{
		foreach (Isolation::all() as $name => $situation) {
			if ($situation[0] !== 'sqlite') {
				yield $name => $situation;
			}
		}
	}

	/** The second one waits for the first resource before it has the second, whatever the order of its array. */
	#[DataProvider('situations')]
	public function testCheckAllWaitsWithoutADeadlock(string $driver, string $level): void
	{
		$server = Server::fresh($driver);
		[$first, $second] = [new Peer($server), new Peer($server)];
		$first->ask('claim', 'a', 1);
		$first->ask('claim', 'b', 1);
		$first->begin($level);
		$second->begin($level);
		$first->ask('check', 'a', 2);
		$second->send('checkAll', ['b' => 3, 'a' => 3]);
		$second->waitUntilBlocked();
		$first->ask('check', 'b', 2);
		$first->ask('exec', 'COMMIT');
		$answer = $second->hear();
		// Above READ COMMITTED it may have to begin again, but not because of a deadlock.
		if ($answer instanceof Problem) {
			$this->assertTrue($answer->isConflict($driver), (string) $answer);
			$this->assertStringNotContainsStringIgnoringCase('deadlock', $answer->message);
			$second->ask('exec', 'ROLLBACK');
			$second->begin($level);
			$answer = $second->attempt('checkAll', ['b' => 3, 'a' => 3]);
		}
		$this->assertNull($answer);
	}

	/** In opposite orders: the database ends one of the two, and nobody gets through who should not. */
	#[DataProvider('situations')]
	public function testOppositeOrdersAreADeadlockThatTheDatabaseEnds(string $driver, string $level): void
	{
		$server = Server::fresh($driver);
		[$first, $second] = [new Peer($server), new Peer($server)];
		$first->ask('claim', 'a', 1);
		$first->ask('claim', 'b', 1);
		$first->begin($level);
		$second->begin($level);
		$first->ask('check', 'a', 2);
		$second->ask('check', 'b', 3);
		$first->send('check', 'b', 2);
		$first->waitUntilBlocked();
		$second->send('check', 'a', 3);
		$problems = [];
		// The victim answers with its exception; its rollback lets the other one go on.
		foreach ([$first, $second] as $peer) {
			$answer = $peer->hear();
			if ($answer instanceof Problem) {
				$this->assertTrue($answer->isConflict($driver), (string) $answer);
				$problems[] = $answer;
				$peer->ask('exec', 'ROLLBACK');
			} else {
				$peer->ask('exec', 'COMMIT');
			}
		}
		$this->assertCount(1, $problems);
	}

	/** New resources, next to each other in the index: what one transaction has checked must not keep others out. */
	#[DataProvider('situations')]
	public function testOtherResourcesDoNotWait(string $driver, string $level): void
	{
		$server = Server::fresh($driver);
		[$first, $second] = [new Peer($server), new Peer($server)];
		foreach (['b', 'd'] as $known) {
			$first->ask('claim', $known, 1);
		}
		$first->begin($level);
		$first->ask('check', 'd', 2);
		$first->ask('check', 'a', 2);
		$second->begin($level);
		foreach (['c', 'b', 'e', '0', 'ab'] as $resource) {
			$this->assertNull($second->attempt('check', $resource, 2), "$resource at $level");
		}
		$second->ask('exec', 'COMMIT');
		$first->ask('exec', 'COMMIT');
	}
}
