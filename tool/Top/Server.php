<?php
declare(strict_types=1);

namespace RedisLock\Tool\Top;

use RedisLock\Tool\Node;
use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

/** How one server is, and how fast: from INFO, twice. What it does not tell is null. */
final class Server
{
	/** @var array<string, int>|null calls of commands at the last look */
	private ?array $calls = null;
	private float $asked = 0.0;

	public ?string $problem = null;
	public string $version = '-';
	public string $role = '-';
	public string $policy = '-';
	public ?int $memory = null;
	public ?int $maxMemory = null;
	public ?int $clients = null;
	public ?int $blocked = null;
	public ?int $evicted = null;
	public ?float $handOvers = null;
	public ?float $scripts = null;
	public ?float $commands = null;

	public function __construct(private readonly Node $node)
	{
	}

	public function address(): string
	{
		return $this->node->address();
	}

	public function ask(): void
	{
		try {
			$server = $this->node->info('server');
			$clients = $this->node->info('clients', true);
			$memory = $this->node->info('memory', true);
			$stats = $this->node->info('stats', true);
			$this->role = $this->node->info('replication', true)['role'] ?? '-';
			$this->version = isset($server['valkey_version']) ? "Valkey $server[valkey_version]" : 'Redis ' . ($server['redis_version'] ?? '?');
			$this->policy = $memory['maxmemory_policy'] ?? '-';
			$this->memory = (int) ($memory['used_memory'] ?? 0);
			$this->maxMemory = (int) ($memory['maxmemory'] ?? 0);
			$this->clients = (int) ($clients['connected_clients'] ?? 0);
			$this->blocked = (int) ($clients['blocked_clients'] ?? 0);
			$this->evicted = (int) ($stats['evicted_keys'] ?? 0);
			$this->rates((int) ($stats['total_commands_processed'] ?? 0));
			$this->problem = null;
		} catch (NoAnswer | RespError $problem) {
			$this->problem = $problem->getMessage();
			$this->handOvers = $this->scripts = $this->commands = null;
			$this->calls = null;
		}
	}

	/** @return array<string, mixed> */
	public function forJson(): array
	{
		return [
			'address' => $this->address(), 'problem' => $this->problem, 'version' => $this->version, 'role' => $this->role, 'policy' => $this->policy,
			'memory' => $this->memory, 'max_memory' => $this->maxMemory, 'clients' => $this->clients, 'blocked' => $this->blocked, 'evicted' => $this->evicted,
			'hand_overs_per_second' => $this->handOvers, 'scripts_per_second' => $this->scripts, 'commands_per_second' => $this->commands,
		];
	}

	private function rates(int $total): void
	{
		$calls = ['all' => $total];
		foreach ($this->node->info('commandstats', true) as $name => $text) {
			$calls[substr($name, strlen('cmdstat_'))] = (int) substr($text, strlen('calls='));
		}
		$now = hrtime(true) / 1e9;
		$time = $now - $this->asked;
		$rate = fn (string ...$names): float => round(
			max(0, array_sum(array_map(fn (string $name) => ($calls[$name] ?? 0) - ($this->calls[$name] ?? 0), $names))) / $time,
			1,
		);
		if ($this->calls !== null && $time > 0) {
			// Every hand-over to a waiter is one RPUSH on the wake list; nothing else of redislock pushes.
			$this->handOvers = $rate('rpush');
			$this->scripts = $rate('eval', 'evalsha');
			$this->commands = $rate('all');
		}
		$this->calls = $calls;
		$this->asked = $now;
	}
}
