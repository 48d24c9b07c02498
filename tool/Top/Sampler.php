<?php
declare(strict_types=1);

namespace RedisLock\Tool\Top;

use RedisLock\Tool\Context;
use RedisLock\Tool\Keys;
use RedisLock\Tool\LockReader;
use RedisLock\Tool\Node;
use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

/**
 * What `top` knows. Each look costs a bounded number of commands: some steps of SCAN that go on where the last look
 * stopped, and three MGETs with the PTTLs of the locks that are followed.
 */
final class Sampler
{
	private const MOST_ROWS = 500;
	private const SCAN_STEPS = 5;
	private const FORGET_AFTER = 10.0;

	/** @var list<Node> */
	private readonly array $nodes;
	private readonly LockReader $reader;
	private readonly Keys $keys;
	/** @var array<string, Row> "n" and the name => row */
	private array $rows = [];
	/** @var array<int, string> by node; "" : this pass is done */
	private array $cursors = [];
	private float $passEnded = 0.0;
	/** @var list<Server> */
	private array $servers;
	public bool $full = false;
	public ?string $problem = null;

	public function __construct(Context $context, private readonly string $pattern)
	{
		$this->nodes = $context->adminNodes();
		$this->reader = new LockReader($this->nodes, $context->keys);
		$this->keys = $context->keys;
		$this->servers = array_map(fn (Node $node) => new Server($node), $this->nodes);
	}

	/** One look at the locks. */
	public function look(): void
	{
		try {
			$this->discover();
			$names = array_map(fn (string $key): string => substr($key, 1), array_keys($this->rows));
			$states = $this->reader->states($names);
			$now = hrtime(true) / 1e9;
			foreach ($states as $state) {
				$row = $this->rows["n$state->name"];
				$row->add($state, $now);
				if ($now - $row->lastHeld > self::FORGET_AFTER) {
					unset($this->rows["n$state->name"]);
				}
			}
			$this->problem = null;
		} catch (NoAnswer | RespError $problem) {
			$this->problem = $problem->getMessage();
		}
	}

	/** Asks the servers how they are. */
	public function askServers(): void
	{
		foreach ($this->servers as $server) {
			$server->ask();
		}
	}

	/** @return list<Server> */
	public function servers(): array
	{
		return $this->servers;
	}

	/** @return list<Row> @param string $by busiest, name or left */
	public function rows(string $by): array
	{
		$rows = array_values($this->rows);
		usort($rows, fn (Row $a, Row $b): int => match ($by) {
			'name' => 0,
			'left' => ($a->state->remaining ?? INF) <=> ($b->state->remaining ?? INF),
			// Those that somebody waits for are what one looks for.
			default => [$b->state->waiters, round($b->handOvers(), 1), $b->busy()] <=> [
				$a->state->waiters,
				round($a->handOvers(), 1),
				$a->busy(),
			],
		} ?: strnatcmp($a->state->name, $b->state->name));
		return $rows;
	}

	private function discover(): void
	{
		$now = hrtime(true) / 1e9;
		if ($this->cursors === []) {
			if ($now - $this->passEnded < 1.0) {
				return;
			}
			$this->cursors = array_fill(0, count($this->nodes), '0');
		}
		for ($step = 0; $step < self::SCAN_STEPS && $this->cursors !== []; $step++) {
			$i = array_key_first($this->cursors);
			try {
				[$cursor, $found] = $this->nodes[$i]->scan($this->cursors[$i], $this->keys->match($this->pattern));
			} catch (NoAnswer | RespError $problem) {
				count($this->nodes) > 1 || throw $problem;
				[$cursor, $found] = ['0', []];
			}
			foreach ($found as $key) {
				$name = $this->keys->name($key);
				if ($name === null || isset($this->rows["n$name"])) {
					continue;
				}
				$this->full = count($this->rows) >= self::MOST_ROWS;
				if (!$this->full) {
					$this->rows["n$name"] = new Row($this->reader->state($name), $now);
				}
			}
			$this->cursors[$i] = $cursor;
			if ($cursor === '0') {
				unset($this->cursors[$i]);
			}
		}
		if ($this->cursors === []) {
			$this->passEnded = $now;
		}
	}
}
