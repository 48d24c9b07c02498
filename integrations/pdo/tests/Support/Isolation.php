<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests\Support;

/** The ways to begin a transaction that make a difference to what it sees. */
final class Isolation
{
	private const LEVELS = [
		'pgsql' => [
			'read committed' => ['BEGIN ISOLATION LEVEL READ COMMITTED'],
			'repeatable read' => ['BEGIN ISOLATION LEVEL REPEATABLE READ'],
			'serializable' => ['BEGIN ISOLATION LEVEL SERIALIZABLE'],
		],
		'mysql' => [
			'read committed' => ['SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', 'START TRANSACTION'],
			'repeatable read' => ['SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'START TRANSACTION'],
			'repeatable read, strict snapshots' => [
				'SET SESSION innodb_snapshot_isolation = ON',
				'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
				'START TRANSACTION',
			],
			'serializable' => ['SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE', 'START TRANSACTION'],
		],
		'sqlite' => [
			'WAL, deferred' => ['PRAGMA journal_mode = WAL', 'BEGIN'],
			'WAL, immediate' => ['PRAGMA journal_mode = WAL', 'BEGIN IMMEDIATE'],
			'rollback journal, deferred' => ['PRAGMA journal_mode = DELETE', 'BEGIN'],
			'rollback journal, immediate' => ['PRAGMA journal_mode = DELETE', 'BEGIN IMMEDIATE'],
		],
	];

	/** @return list<string> */
	public static function begin(string $driver, string $level): array
	{
		return self::LEVELS[$driver][$level];
	}

	/** @return iterable<string, array{string, string}> for a data provider: driver and level */
	public static function all(): iterable
	{
		foreach (self::LEVELS as $driver => $levels) {
			foreach ($levels as $level => $_) {
				yield "$driver, $level" => [$driver, $level];
			}
		}
	}
}
