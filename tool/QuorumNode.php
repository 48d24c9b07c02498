<?php
declare(strict_types=1);

namespace RedisLock\Tool;

/** What is seen of one node of a quorum, without changing it. */
final class QuorumNode
{
	public const NEW = 'new';
	public const SITS_OUT = 'sits out';
	public const IN_SERVICE = 'in service';
	public const FAILED = 'no answer';

	/** @param float|null $sitsOut seconds */
	private function __construct(
		public readonly string $address,
		public readonly string $state,
		public readonly ?float $sitsOut = null,
		public readonly string $runId = '',
		public readonly string $version = '-',
		public readonly string $role = '-',
		public readonly int $replicas = 0,
		public readonly ?int $locks = null,
		public readonly string $problem = '',
	) {
	}

	/** @return list<self> in the order of the servers */
	public static function all(Context $context): array
	{
		return array_map(fn (Node $node) => self::look($node, $context->keys), $context->adminNodes());
	}

	public static function look(Node $node, Keys $keys): self
	{
		try {
			$server = $node->info('server', true);
			$replication = $node->info('replication', true);
			$now = intdiv($node->time(), 1000);
			$stored = $node->must('GET', $keys->node());
			[$runId, $until] = is_string($stored) && preg_match('/^([0-9a-f]+) (\d+)$/', $stored, $found) ? [$found[1], (int) $found[2]] : ['', 0];
			$state = match (true) {
				$runId !== ($server['run_id'] ?? '') => self::NEW,
				$until > $now => self::SITS_OUT,
				default => self::IN_SERVICE,
			};
			return new self(
				$node->address(),
				$state,
				$state === self::SITS_OUT ? ($until - $now) / 1000 : null,
				$server['run_id'] ?? '',
				isset($server['valkey_version']) ? "Valkey $server[valkey_version]" : 'Redis ' . ($server['redis_version'] ?? '?'),
				$replication['role'] ?? '?',
				(int) ($replication['connected_slaves'] ?? 0),
				self::count($node, $keys),
			);
		} catch (NoAnswer | RespError $problem) {
			return new self($node->address(), self::FAILED, problem: $problem->getMessage());
		}
	}

	/** @param list<self> $nodes @return list<string> why these cannot be put into service */
	public static function problems(array $nodes): array
	{
		$problems = [];
		foreach ($nodes as $i => $node) {
			if ($node->state === self::FAILED) {
				$problems[] = "$node->address: $node->problem";
			} elseif ($node->state === self::IN_SERVICE) {
				$problems[] = "$node->address is in service already";
			} elseif ($node->role !== 'master' || $node->replicas > 0) {
				$problems[] = "$node->address is " . ($node->role === 'master' ? "a master with $node->replicas replica(s)" : 'a replica') . ': a node must have none, a fail-over would forget locks';
			} elseif ($node->locks > 0) {
				$problems[] = "$node->address has $node->locks lock(s) with this prefix: leases are running";
			}
			foreach (array_slice($nodes, 0, $i) as $other) {
				if ($node->runId !== '' && $other->runId === $node->runId) {
					$problems[] = "$node->address and $other->address are one server";
				}
			}
		}
		return $problems;
	}

	public function words(): string
	{
		return match ($this->state) {
			self::NEW => 'new: would sit out from its first lock on',
			self::SITS_OUT => 'sits out for ' . Text::duration($this->sitsOut),
			self::FAILED => 'no answer',
			default => $this->state,
		};
	}

	/** @return array<string, mixed> */
	public function forJson(): array
	{
		return [
			'address' => $this->address, 'state' => $this->state, 'sits_out' => $this->sitsOut, 'version' => $this->version,
			'role' => $this->role, 'replicas' => $this->replicas, 'locks' => $this->locks, 'problem' => $this->problem,
		];
	}

	private static function count(Node $node, Keys $keys): int
	{
		$count = 0;
		$cursor = '0';
		do {
			[$cursor, $found] = $node->scan($cursor, $keys->match('*'));
			$count += count(array_filter($found, fn (string $key) => $keys->name($key) !== null));
		} while ($cursor !== '0');
		return $count;
	}
}
