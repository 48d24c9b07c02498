<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Context;
use RedisLock\Tool\QuorumNode;

/** Whether the nodes of a quorum are what they are taken for: different servers, in service. */
final class QuorumCheck implements Check
{
	public function title(): string
	{
		return 'the nodes of a quorum are different servers, and in service';
	}

	public function findings(Patient $patient): iterable
	{
		if (!$patient->quorum) {
			return;
		}
		yield from $this->different($patient);
		if (count($patient->context->servers()) % 2 === 0) {
			yield Finding::hint(
				'even-quorum',
				null,
				count($patient->context->servers()) . ' nodes survive the loss of no more nodes than one fewer would',
				'add a node, or take one away',
			);
		}
		$inService = 0;
		foreach ($patient->admins as $node) {
			$seen = QuorumNode::look($node, $patient->keys);
			// Of one that cannot be asked we do not know that it is not.
			$inService += in_array($seen->state, [QuorumNode::IN_SERVICE, QuorumNode::FAILED], true) ? 1 : 0;
			if ($seen->state === QuorumNode::NEW) {
				yield Finding::problem(
					'node-new',
					$node->address(),
					'it is not in service: new, restarted or flushed since it was last asked',
					'a new quorum: redislock quorum-init. One that is in use: nothing, it sits out and comes back by itself',
				);
			} elseif ($seen->state === QuorumNode::SITS_OUT) {
				yield Finding::warning(
					'node-sits-out',
					$node->address(),
					'it lost its memory and ' . $seen->words(),
					'do not restart another node before it is back; a quorum of 3 does not survive a second loss meanwhile',
				);
			} elseif ($seen->state === QuorumNode::FAILED) {
				yield new Finding(
					'not-checked',
					Severity::Unknown,
					$node->address(),
					"whether it is in service could not be checked: $seen->problem",
					'run it with a log-in that has +info, +time, +get and +scan: --admin-servers or REDISLOCK_ADMIN_SERVERS',
				);
			}
		}
		$patient->outOfService = $inService <= intdiv(count($patient->context->servers()), 2);
	}

	/** @return iterable<Finding> */
	private function different(Patient $patient): iterable
	{
		$ids = $hosts = [];
		foreach ($patient->admins as $node) {
			try {
				$id = $node->info('server')['run_id'] ?? '';
			} catch (\Exception) {
				$id = '';
			}
			if ($id !== '' && isset($ids[$id])) {
				yield Finding::problem(
					'one-server',
					$node->address(),
					"it and $ids[$id] are one server: it votes twice",
					'every node of a quorum is a server process of its own, not another database or another name of one',
				);
			}
			$ids[$id] ??= $node->address();
			$host = $node->dsn->scheme === 'unix' ? 'this machine' : gethostbyname($node->dsn->host);
			$hosts[str_starts_with($host, '127.') || $host === '::1' ? 'this machine' : $host][] = $node->address();
		}
		foreach ($hosts as $host => $addresses) {
			if (count($addresses) > 1) {
				yield Finding::warning(
					'one-machine',
					null,
					implode(', ', $addresses) . ' are on one machine (' . $host . '): it takes them all with it',
					'put each node on a machine of its own, with its own power and network',
				);
			}
		}
	}
}
