<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/**
 * Looks at locks from outside, with commands that only read: SCAN, MGET, PTTL. On a quorum all nodes are asked one
 * after another, and what a majority says counts; nodes that do not answer are in $failed.
 */
final class LockReader
{
	private const CHUNK = 200;

	/** @var array<string, string> address => what was wrong, of the last look */
	public array $failed = [];
	/** @var array<string, int> address => when it may be asked again, hrtime: a dead node must not slow every look */
	private array $resting = [];

	/** @param list<Node> $nodes */
	public function __construct(private readonly array $nodes, private readonly Keys $keys)
	{
	}

	/**
	 * The names of all locks there are, each once, in no order.
	 *
	 * @param string $pattern as SCAN has it
	 * @return \Generator<int, string>
	 */
	public function names(string $pattern): \Generator
	{
		$seen = [];
		$match = $this->keys->match($pattern);
		$answered = 0;
		foreach ($this->nodes as $node) {
			try {
				$cursor = '0';
				do {
					[$cursor, $keys] = $node->scan($cursor, $match);
					foreach ($keys as $key) {
						$name = $this->keys->name($key);
						// A number as a key of an array would not stay a string.
						if ($name !== null && !isset($seen["n$name"])) {
							$seen["n$name"] = true;
							yield $name;
						}
					}
				} while ($cursor !== '0');
				$answered++;
			} catch (NoAnswer | RespError $problem) {
				$this->fail($node, $problem);
			}
		}
		$this->needMajority($answered);
	}

	/**
	 * @param list<string> $names
	 * @return list<LockState> in the order of the names
	 */
	public function states(array $names): array
	{
		$states = [];
		foreach (array_chunk($names, self::CHUNK) as $chunk) {
			$seen = [];
			foreach ($this->nodes as $node) {
				if (($this->resting[$node->address()] ?? 0) > hrtime(true)) {
					continue;
				}
				try {
					$seen[] = $this->look($node, $chunk);
					unset($this->failed[$node->address()]);
				} catch (NoAnswer | RespError $problem) {
					$this->fail($node, $problem);
					$this->resting[$node->address()] = hrtime(true) + 5_000_000_000;
				}
			}
			$this->needMajority(count($seen));
			foreach ($chunk as $i => $name) {
				$states[] = $this->merge($name, array_column($seen, $i));
			}
		}
		return $states;
	}

	public function state(string $name): LockState
	{
		return $this->states([$name])[0];
	}

	/** @param list<string> $names @return list<array{token: ?string, left: int, fence: ?int, waiters: bool}> */
	private function look(Node $node, array $names): array
	{
		$commands = [
			['MGET', ...array_map($this->keys->lock(...), $names)],
			['MGET', ...array_map(fn (string $name) => $this->keys->beside($name, 'fence'), $names)],
			['MGET', ...array_map(fn (string $name) => $this->keys->beside($name, 'wait'), $names)],
		];
		foreach ($names as $name) {
			$commands[] = ['PTTL', $this->keys->lock($name)];
		}
		$answers = $node->pipeline($commands);
		foreach ($answers as $answer) {
			$answer instanceof RespError && throw $answer;
		}
		$seen = [];
		foreach (array_keys($names) as $i) {
			$fence = $answers[1][$i];
			$seen[] = [
				'token' => $answers[0][$i],
				'left' => (int) $answers[3 + $i],
				'fence' => is_string($fence) && preg_match('/^[1-9]\d{0,15}$/', $fence) ? (int) $fence : null,
				'waiters' => $answers[2][$i] !== null,
			];
		}
		return $seen;
	}

	/** @param list<array{token: ?string, left: int, fence: ?int, waiters: bool}> $seen one per node that answered */
	private function merge(string $name, array $seen): LockState
	{
		$tokens = array_count_values(
			array_map(
				fn (array $one) => "t$one[token]",
				array_filter($seen, fn (array $one) => $one['token'] !== null),
			),
		);
		arsort($tokens);
		$majority = intdiv(count($this->nodes), 2) + 1;
		$count = $tokens === [] ? 0 : reset($tokens);
		$first = $count >= $majority ? substr((string) array_key_first($tokens), 1) : null;
		$token = $first !== null && !str_starts_with($first, 'handoff:') ? $first : null;
		$left = array_map(
			fn (array $one) => $one['left'] === -1 ? INF : max(0, $one['left']) / 1000,
			array_filter($seen, fn (array $one) => $one['token'] === $token),
		);
		rsort($left);
		return new LockState(
			$name,
			$token,
			// The lease lasts as long as a majority still has it.
			$token === null ? null : $left[$majority - 1],
			max([0, ...array_column($seen, 'fence')]) ?: null,
			in_array(true, array_column($seen, 'waiters'), true),
			$token === null && $first !== null,
			count($this->nodes) === 1 ? null : $count,
		);
	}

	private function fail(Node $node, NoAnswer|RespError $problem): void
	{
		$this->failed[$node->address()] = $problem->getMessage();
		// One server that does not answer is the end of it; so are all, see needMajority().
		count($this->nodes) > 1 || throw $problem;
	}

	private function needMajority(int $answered): void
	{
		if ($answered <= intdiv(count($this->nodes), 2)) {
			throw new NoAnswer('fewer than a majority of the nodes answered: ' . implode('; ', $this->failed));
		}
	}
}
