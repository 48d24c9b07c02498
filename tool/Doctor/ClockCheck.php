<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Node;
use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

/** How far the clocks are apart. */
final class ClockCheck implements Check
{
	private const ADVICE = 'keep the clocks with chrony or ntpd, and let them be slewed, not set';

	public function title(): string
	{
		return 'clocks agree';
	}

	public function findings(Patient $patient): iterable
	{
		$offsets = [];
		foreach ($patient->admins as $node) {
			if (isset($patient->proxies[$node->address()])) {
				continue;
			}
			try {
				[$offset, $error] = $this->offset($node);
			} catch (NoAnswer | RespError $problem) {
				yield Finding::unknown($node->address(), 'its clock', $problem, '+time');
				continue;
			}
			$offsets[$node->address()] = $offset;
			$apart = sprintf('%.1f s %s this machine', abs($offset), $offset > 0 ? 'ahead of' : 'behind');
			if (abs($offset) - $error > 60 && $patient->quorum) {
				yield Finding::problem(
					'clock',
					$node->address(),
					"its clock is $apart: beyond a minute the fences of a quorum do not take a client's clock into account",
					self::ADVICE,
				);
			} elseif (abs($offset) - $error > 1) {
				yield Finding::hint(
					'clock',
					$node->address(),
					"its clock is $apart. Leases are not affected: they follow each machine's own clock",
					self::ADVICE,
				);
			}
		}
		if (count($offsets) > 1 && max($offsets) - min($offsets) > 1) {
			$first = array_search(min($offsets), $offsets, true);
			$last = array_search(max($offsets), $offsets, true);
			yield Finding::warning(
				'clock-nodes',
				null,
				sprintf('the clocks of %s and %s are %.1f s apart', $first, $last, max($offsets) - min($offsets)),
				self::ADVICE . '; a node whose clock is set forward ends its leases early',
			);
		}
	}

	/** @return array{float, float} seconds that the server is ahead, and how wrong that may be */
	private function offset(Node $node): array
	{
		$best = [0.0, INF];
		// The quickest of three answers is the most exact one.
		for ($i = 0; $i < 3; $i++) {
			$before = microtime(true);
			$server = $node->time() / 1e6;
			$after = microtime(true);
			if (($after - $before) / 2 < $best[1]) {
				$best = [$server - ($before + $after) / 2, ($after - $before) / 2];
			}
		}
		return $best;
	}
}
