<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Node;

/** Whether a restart of the server forgets the locks. */
final class PersistenceCheck extends NodeCheck
{
	private const ADVICE = 'CONFIG SET appendonly yes, appendfsync everysec, and the same in its configuration file. What a restart still loses is covered only by the fence';

	public function title(): string
	{
		return 'a restart does not forget locks';
	}

	protected function subject(): string
	{
		return 'persistence';
	}

	protected function rights(): string
	{
		return '+info and +config|get';
	}

	protected function node(Node $node, Patient $patient): iterable
	{
		// A node of a quorum that forgets sits out, so it may forget.
		if (!$patient->quorum) {
			yield from $this->persistence($node, $node->info('persistence'));
		}
	}

	/** @param array<string, string> $info @return iterable<Finding> */
	private function persistence(Node $node, array $info): iterable
	{
		$aof = ($info['aof_enabled'] ?? '0') === '1';
		if ($aof) {
			if (($info['aof_last_write_status'] ?? 'ok') !== 'ok' || ($info['aof_last_bgrewrite_status'] ?? 'ok') !== 'ok') {
				yield Finding::problem(
					'persistence-fails',
					$node->address(),
					'the append-only file could not be written',
					'look into the log of the server: is the disk full?',
				);
			}
			if ($node->setting('appendfsync') === 'no') {
				yield Finding::warning(
					'appendfsync',
					$node->address(),
					'appendfsync is no: a machine that fails loses what the system had not written, often half a minute',
					'CONFIG SET appendfsync everysec',
				);
			}
			return;
		}
		$save = trim((string) $node->setting('save'));
		if ($save === '') {
			yield Finding::warning(
				'no-persistence',
				$node->address(),
				'nothing is kept on disk: a restart frees all locks while their holders work',
				self::ADVICE,
			);
			return;
		}
		yield Finding::warning(
			'snapshots-only',
			$node->address(),
			"only snapshots are kept (save $save): a restart frees the locks since the last one, and brings back older ones",
			self::ADVICE,
		);
		if (($info['rdb_last_bgsave_status'] ?? 'ok') !== 'ok') {
			yield Finding::problem(
				'persistence-fails',
				$node->address(),
				'the last snapshot failed; by default the server then refuses all writes (MISCONF)',
				'look into the log of the server: is the disk full?',
			);
		}
	}
}
