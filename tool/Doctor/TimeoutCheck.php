<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

/** Whether a command can be waited for longer than a lease lasts. */
final class TimeoutCheck implements Check
{
	public function title(): string
	{
		return 'timeouts are shorter than leases';
	}

	public function findings(Patient $patient): iterable
	{
		foreach ($patient->nodes as $node) {
			$times = [
				'timeout' => $node->dsn->seconds('timeout', (float) ini_get('redislock.timeout')),
				'connect_timeout' => $node->dsn->seconds(
					'connect_timeout',
					(float) ini_get('redislock.connect_timeout'),
				),
			];
			foreach ($times as $name => $seconds) {
				$remedy = "set redislock.$name, or ?$name= in the DSN, to less than a sixth of the shortest lease, or use longer leases; say --ttl if yours is not {$patient->ttl} s";
				if ($seconds >= $patient->ttl) {
					yield Finding::problem(
						'timeout-lease',
						$node->address(),
						"$name is $seconds s, and a lease {$patient->ttl} s: it can be over before one answer is given up",
						$remedy,
					);
				} elseif ($name === 'timeout' && 2 * $seconds > $patient->ttl / 3) {
					yield Finding::warning(
						'timeout-lease',
						$node->address(),
						"a renewal can take 2 × $seconds s, and a lease lasts {$patient->ttl} s: two that fail are too many",
						$remedy,
					);
				}
			}
		}
	}
}
