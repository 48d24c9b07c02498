<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Node;

/** What a fail-over would lose. */
final class ReplicationCheck extends NodeCheck
{
	private const BEHIND_SECONDS = 5;
	private const BEHIND_BYTES = 1 << 20;

	public function title(): string
	{
		return 'a fail-over does not forget locks';
	}

	protected function subject(): string
	{
		return 'replication';
	}

	protected function rights(): string
	{
		return '+info and +config|get';
	}

	protected function node(Node $node, Patient $patient): iterable
	{
		yield from $this->replication($node, $node->info('replication'), $patient->quorum);
	}

	/** @param array<string, string> $info @return iterable<Finding> */
	private function replication(Node $node, array $info, bool $quorum): iterable
	{
		$address = $node->address();
		if (($info['role'] ?? '') === 'slave') {
			yield Finding::problem(
				'replica',
				$address,
				"this is a replica of $info[master_host]:$info[master_port]: it refuses every lock (READONLY)",
				'give the address of the master, or a name that follows it',
			);
			return;
		}
		$replicas = (int) ($info['connected_slaves'] ?? 0);
		if ($replicas > 0 && $quorum) {
			yield Finding::problem(
				'quorum-replica',
				$address,
				"a node of a quorum has $replicas replica(s): a fail-over forgets locks, and no majority notices",
				'REPLICAOF NO ONE on the replicas, and stop them; the other nodes are what a quorum has instead',
			);
		}
		$needed = (int) ($node->setting('min-replicas-to-write') ?? 0);
		if ($replicas > 0 && !$quorum && $needed === 0) {
			yield Finding::warning(
				'min-replicas',
				$address,
				'min-replicas-to-write is 0: a master that is cut off goes on granting locks while a replica takes over',
				'CONFIG SET min-replicas-to-write 1 and min-replicas-max-lag 10; what is in flight at a fail-over is lost all the same, only the fence covers that',
			);
		}
		$good = (int) ($info['min_slaves_good_slaves'] ?? $replicas);
		if ($needed > $good) {
			yield Finding::problem(
				'min-replicas-unmet',
				$address,
				"min-replicas-to-write is $needed, and $good replica(s) are there: no lock can be taken (NOREPLICAS)",
				'bring the replicas back, or lower min-replicas-to-write',
			);
		}
		for ($i = 0; $i < $replicas; $i++) {
			yield from $this->replica($address, $info["slave$i"] ?? '', (int) ($info['master_repl_offset'] ?? 0));
		}
	}

	/** @return iterable<Finding> */
	private function replica(string $address, string $text, int $offset): iterable
	{
		parse_str(strtr($text, ',', '&'), $replica);
		$name = ($replica['ip'] ?? '?') . ':' . ($replica['port'] ?? '?');
		if (($replica['state'] ?? 'online') !== 'online') {
			yield Finding::warning(
				'replica-behind',
				$address,
				"its replica $name is $replica[state], not online",
				'until it is online, a fail-over to it forgets locks: look into its log',
			);
			return;
		}
		$bytes = max(0, $offset - (int) ($replica['offset'] ?? 0));
		$lag = (int) ($replica['lag'] ?? 0);
		if ($lag > self::BEHIND_SECONDS || $bytes > self::BEHIND_BYTES) {
			yield Finding::warning(
				'replica-behind',
				$address,
				"its replica $name is $bytes bytes behind and last spoke $lag s ago",
				'a fail-over to it forgets the locks of that time: is its network or its disk too slow?',
			);
		}
	}
}
