<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\NoAnswer;
use RedisLock\Tool\RespError;

/** Every server answers and lets us in. Those that do not are left out of what follows. */
final class ReachCheck implements Check
{
	public function title(): string
	{
		return 'every server answers';
	}

	public function findings(Patient $patient): iterable
	{
		foreach ($patient->nodes as $i => $node) {
			try {
				// Whoever may not say PING is told so, which is an answer.
				$answer = $node->ask('PING');
				if ($answer instanceof RespError && in_array($answer->word, ['LOADING', 'MASTERDOWN', 'BUSY', 'NOAUTH'], true)) {
					throw $answer;
				}
			} catch (NoAnswer $problem) {
				yield Finding::problem(
					'unreachable',
					$node->address(),
					$problem->getMessage(),
					'is the server running, is the address right, does a firewall let us through?',
				);
				$patient->dropNode($i);
			} catch (RespError $problem) {
				yield $problem->isAboutRights() || str_contains($problem->getMessage(), 'AUTH')
					? Finding::problem(
						'login-refused',
						$node->address(),
						$problem->getMessage(),
						'put the right user and password into the DSN: redis://user:password@host',
					)
					: Finding::problem(
						'not-ready',
						$node->address(),
						$problem->getMessage(),
						'wait until the server has loaded its data or its script has ended; no lock can be had before',
					);
				$patient->dropNode($i);
			}
		}
	}
}
