<?php
declare(strict_types=1);

namespace RedisLock\Tool\Doctor;

use RedisLock\Tool\Application;

/** Takes a lock, lets somebody wait for it, renews it and gives it back, as the application does. */
final class LockCheck implements Check
{
	public function title(): string
	{
		return 'a lock can be taken, waited for, renewed and given back';
	}

	public function findings(Patient $patient): iterable
	{
		if ($patient->nodes === []) {
			return;
		}
		ini_set('redislock.fence_retention', '600');
		$client = $patient->context->client();
		$warnings = [];
		set_error_handler(function (int $level, string $text) use (&$warnings): bool {
			$warnings[] = $text;
			return true;
		});
		try {
			$first = $client->lock($patient->name, 1.0);
			$fence = $first->acquire(2.0);
			if ($fence === null || !$first->renew() || !$client->inspect($patient->name)['held']) {
				yield Finding::problem('lock-fails', null, 'a lock that nobody else uses was not to be had, or not held', 'the other findings may say why');
				return;
			}
			$token = $first->detach();
			$next = $client->lock($patient->name, 5.0);
			// The first lease ends by itself: the way of a waiter whose holder has died.
			$waited = $next->acquire(10.0);
			if ($waited === null) {
				yield Finding::problem('lock-fails', null, 'a lock whose lease had ended was not handed on', 'does the server expire keys (DEBUG SET-ACTIVE-EXPIRE), does its clock run?');
				$client->release($patient->name, $token);
			} elseif ($waited <= $fence) {
				yield Finding::problem('lock-fails', null, "the second fence ($waited) is not larger than the first ($fence)", 'does somebody else write or delete fence keys?');
			}
			$next->release();
		} catch (\RedisLock\RedisLockException $problem) {
			yield Finding::problem('lock-fails', null, Application::message($problem), 'the other findings say what is in the way');
		} finally {
			restore_error_handler();
		}
		foreach (array_unique($warnings) as $warning) {
			yield Finding::warning('lock-warns', null, $warning, 'the other findings say what is in the way');
		}
	}
}
