<?php
declare(strict_types=1);

namespace RedisLock\Pdo\Tests;

use PDO;
use PDOException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;
use RedisLock\Pdo\Schema;
use RedisLock\Pdo\Tests\Support\Server;
use RuntimeException;

/**
 * Runs the SQL of two pages in docs/, block after block in the order of the page, on every database that a block names.
 * Comments before a block say how:
 *
 *   <!-- sql on pgsql sqlite -->           run it there. Every block has this
 *   <!-- sql on none because reason -->    it is there to be looked at
 *   <!-- sql with {"id": 7} rows 1 -->     the values of its placeholders, and how many rows its last statement must
 *                                          change or return. Of BEGIN … COMMIT it is the one before the COMMIT
 *   <!-- sql again {"id": 8} rows 0 -->    run it once more, with these values changed
 */
final class DocsSqlTest extends TestCase
{
	private const FOLDER = __DIR__ . '/../../../docs/';

	/** How many blocks a page has at least for each database. One that has lost its SQL is not tested any more. */
	private const PAGES = ['fencing.md' => 20, 'fence-guard.md' => 1];

	/** @return iterable<string, array{string, string}> */
	public static function pages(): iterable
	{
		foreach (array_keys(self::PAGES) as $page) {
			foreach (Server::DRIVERS as $driver) {
				yield "$page, $driver" => [$page, $driver];
			}
		}
	}

	/**
	 * @return list<array{where: string, on: list<string>, runs: list<array{values: array<string, int|string>, rows: ?int}>, sql: list<string>}>
	 */
	private static function blocks(string $page): array
	{
		$blocks = $notes = [];
		$code = null;
		foreach (file(self::FOLDER . $page, FILE_IGNORE_NEW_LINES) as $number => $line) {
			if ($code !== null) {
				if ($line === '```') {
					$blocks[] = self::block("docs/$page:$number", $notes, $code);
					$code = null;
					$notes = [];
				} else {
					$code .= "$line\n";
				}
			} elseif (preg_match('/^<!-- sql (.+) -->$/', $line, $match)) {
				$notes[] = $match[1];
			} elseif ($line === '```sql') {
				$code = '';
			} elseif ($notes !== [] && $line !== '') {
				throw new RuntimeException("docs/$page:$number: the next line is not the SQL that the note is for");
			}
		}
		return $blocks;
	}

	/** @param list<string> $notes */
	private static function block(string $where, array $notes, string $code): array
	{
		$block = ['where' => $where, 'on' => null, 'runs' => []];
		$block['sql'] = preg_split('/;\s*(?:\n|$)/', $code, -1, PREG_SPLIT_NO_EMPTY);
		foreach ($notes as $note) {
			if (preg_match('/^on none because .+$/', $note)) {
				$block['on'] = [];
			} elseif (preg_match('/^on ((?:(?:pgsql|mysql|sqlite) ?)+)$/', $note, $match)) {
				$block['on'] = explode(' ', $match[1]);
			} elseif (preg_match('/^(with|again) (\{.*\}) rows (\d+)$/', $note, $match) && ($match[1] === 'again') === ($block['runs'] !== [])) {
				$values = json_decode($match[2], true, 2, JSON_THROW_ON_ERROR);
				$block['runs'][] = ['values' => $values + ($block['runs'] === [] ? [] : end($block['runs'])['values']), 'rows' => (int) $match[3]];
			} else {
				throw new RuntimeException("$where: a note that is none: $note");
			}
		}
		$block['on'] ?? throw new RuntimeException("$where: a block of SQL that does not say where it runs");
		if ($block['runs'] === []) {
			$block['runs'] = [['values' => [], 'rows' => null]];
		}
		return $block;
	}

	private function connect(string $driver): PDO
	{
		if ($driver === 'sqlite') {
			$pdo = new PDO('sqlite::memory:');
		} else {
			$pdo = Server::fresh($driver)->connect();
			$pdo->exec(['pgsql' => 'DROP SCHEMA IF EXISTS docs CASCADE', 'mysql' => 'DROP DATABASE IF EXISTS docs'][$driver]);
			$pdo->exec(['pgsql' => 'CREATE SCHEMA docs', 'mysql' => 'CREATE DATABASE docs'][$driver]);
			$pdo->exec(['pgsql' => 'SET search_path = docs', 'mysql' => 'USE docs'][$driver]);
		}
		return $pdo;
	}

	/**
	 * Runs the statements and returns the number of rows of the last one that is no COMMIT.
	 *
	 * @param list<string> $statements
	 * @param array<string, int|string> $values
	 */
	private function runStatements(PDO $pdo, array $statements, array $values): int
	{
		$rows = 0;
		foreach ($statements as $sql) {
			$statement = $pdo->prepare($sql);
			preg_match_all('/(?<!:):([A-Za-z]+)/', $sql, $names);
			foreach (array_unique($names[1]) as $name) {
				$value = $values[$name] ?? throw new RuntimeException("no value for :$name");
				$statement->bindValue($name, $value, is_int($value) ? PDO::PARAM_INT : PDO::PARAM_STR);
			}
			$statement->execute();
			$count = $statement->columnCount() > 0 ? count($statement->fetchAll()) : $statement->rowCount();
			$statement->closeCursor();
			$rows = preg_match('/^\s*COMMIT\b/', $sql) ? $rows : $count;
		}
		return $rows;
	}

	#[DataProvider('pages')]
	public function testEveryBlock(string $page, string $driver): void
	{
		$pdo = $this->connect($driver);
		$count = 0;
		foreach (self::blocks($page) as $block) {
			if (!in_array($driver, $block['on'], true)) {
				continue;
			}
			foreach ($block['runs'] as $number => $run) {
				$where = "$block[where], on $driver, run " . ($number + 1);
				try {
					$rows = $this->runStatements($pdo, $block['sql'], $run['values']);
				} catch (PDOException $exception) {
					$this->fail("$where: " . $exception->getMessage());
				}
				$count++;
				if ($run['rows'] !== null) {
					$this->assertSame($run['rows'], $rows, $where);
				}
			}
		}
		$this->assertGreaterThanOrEqual(self::PAGES[$page], $count, 'the page has lost its SQL');
	}

	/** What the page shows is what Schema makes. */
	#[DataProviderExternal(Server::class, 'all')]
	public function testTheTableOfTheGuard(string $driver): void
	{
		$plain = static fn (string $sql) => preg_replace('/\s+/', ' ', trim($sql));
		$shown = [];
		foreach (self::blocks('fence-guard.md') as $block) {
			if ($block['on'] === [$driver] && str_contains($block['sql'][0], 'redislock_fences')) {
				$shown = array_map($plain, $block['sql']);
			}
		}
		$this->assertSame(array_map($plain, Schema::sql($driver)), $shown);
	}
}
