<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Node;
use RedisLock\Tool\Text;

/** Whether the server can throw locks away, or has no room for new ones. */
final class MemoryCheck extends NodeCheck
{
	public function title(): string
	{
		return 'locks cannot be evicted';
	}

	protected function subject(): string
	{
		return 'the eviction policy';
	}

	protected function rights(): string
	{
		return '+info';
	}

	protected function node(Node $node, Patient $patient): iterable
	{
		yield from $this->memory($node, $node->info('memory'), $node->info('stats'));
	}

	/** @param array<string, string> $memory @param array<string, string> $stats @return iterable<Finding> */
	private function memory(Node $node, array $memory, array $stats): iterable
	{
		$policy = $memory['maxmemory_policy'] ?? 'unknown';
		$limit = (int) ($memory['maxmemory'] ?? 0);
		$used = (int) ($memory['used_memory'] ?? 0);
		if ($policy !== 'noeviction') {
			$how = str_starts_with($policy, 'volatile-')
				? 'picks keys with a time to live, which all locks have'
				: 'picks any keys, also locks';
			$remedy = 'CONFIG SET maxmemory-policy noeviction, and the same in its configuration file; give the cache a server of its own';
			yield $limit > 0
				? Finding::problem(
					'eviction',
					$node->address(),
					"maxmemory-policy is $policy: a full server $how, and then two workers hold one lock",
					$remedy,
				)
				: Finding::warning(
					'eviction',
					$node->address(),
					"maxmemory-policy is $policy; without maxmemory nothing is evicted, but as soon as somebody sets one, the server $how",
					$remedy,
				);
		}
		$evicted = (int) ($stats['evicted_keys'] ?? 0);
		if ($evicted > 0) {
			yield Finding::problem(
				'evicted',
				$node->address(),
				"$evicted keys have been evicted since the server started; locks may have been among them",
				'CONFIG SET maxmemory-policy noeviction, then CONFIG RESETSTAT, so that this shows what is new',
			);
		}
		if ($limit > 0 && $policy === 'noeviction' && $used > 0.9 * $limit) {
			yield Finding::warning(
				'memory-full',
				$node->address(),
				Text::bytes($used) . ' of ' . Text::bytes($limit) . ' are used: when it is full, no lock can be taken (OOM)',
				'raise maxmemory, or find out what fills it: redis-cli --bigkeys',
			);
		}
	}
}
