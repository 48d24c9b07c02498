<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** One server, for looking at. Connects when it is first asked, and anew after a failure. */
final class Node
{
	private ?Connection $connection = null;
	/** @var array<string, array<string, string>> what INFO answered, by section */
	private array $info = [];

	public function __construct(
		public readonly Dsn $dsn,
		private readonly float $connectTimeout,
		private readonly float $timeout,
	)
	{
	}

	public function address(): string
	{
		return $this->dsn->address();
	}

	/** @throws NoAnswer|RespError also if the answer is an error */
	public function must(string ...$words): mixed
	{
		$answer = $this->ask(...$words);
		return $answer instanceof RespError ? throw $answer : $answer;
	}

	/** The answer, which may be a RespError. @throws NoAnswer|RespError a RespError is thrown if the log-in is refused */
	public function ask(string ...$words): mixed
	{
		return $this->using(fn (Connection $connection): mixed => $connection->ask(...$words));
	}

	public function askBlocking(float $extra, string ...$words): mixed
	{
		return $this->using(fn (Connection $connection): mixed => $connection->askBlocking($extra, ...$words));
	}

	/** @param list<list<string>> $commands @return list<mixed> */
	public function pipeline(array $commands): array
	{
		return $commands === [] ? [] : $this->using(
			fn (Connection $connection): array => $connection->pipeline($commands),
		);
	}

	/**
	 * INFO as name => value. One section, because a proxy or an old server may not know several.
	 *
	 * @return array<string, string>
	 * @throws NoAnswer|RespError
	 */
	public function info(string $section, bool $fresh = false): array
	{
		if (!isset($this->info[$section]) || $fresh) {
			preg_match_all('/^([^#:\r\n][^:\r\n]*):(.*?)\r?$/m', (string) $this->must('INFO', $section), $found);
			$this->info[$section] = array_combine($found[1], $found[2]);
		}
		return $this->info[$section];
	}

	/** One setting of the server, null if it does not know it. @throws NoAnswer|RespError */
	public function setting(string $name): ?string
	{
		$answer = $this->must('CONFIG', 'GET', $name);
		return is_array($answer) ? ($answer[1] ?? null) : null;
	}

	/** The server's clock in microseconds. @throws NoAnswer|RespError */
	public function time(): int
	{
		$answer = $this->must('TIME');
		return is_array($answer) ? (int) $answer[0] * 1000000 + (int) $answer[1] : throw new NoAnswer($this->address() . ' answered no time');
	}

	/**
	 * One step of SCAN over strings; cursor "0" at the end.
	 *
	 * @return array{string, list<string>} the next cursor, keys
	 */
	public function scan(string $cursor, string $match): array
	{
		$answer = $this->must('SCAN', $cursor, 'MATCH', $match, 'COUNT', '1000', 'TYPE', 'string');
		return is_array($answer) && count($answer) === 2 ? $answer : throw new NoAnswer($this->address() . ' answered no keys');
	}

	private function using(callable $exchange): mixed
	{
		$this->connection ??= new Connection($this->dsn, $this->connectTimeout, $this->timeout);
		try {
			return $exchange($this->connection);
		} catch (NoAnswer $problem) {
			$this->connection = null;
			throw $problem;
		}
	}
}
