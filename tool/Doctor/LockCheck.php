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
		if ($patient->nodes === [] || $patient->outOfService) {
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
			$first = $client->lock($patient->name, 30.0);
			$fence = $first->acquire(2.0);
			if ($fence === null || !$first->renew() || !$client->inspect($patient->name)['held'] || !$first->release()) {
				yield Finding::problem(
					'lock-fails',
					null,
					'a lock that nobody else uses was not to be had, or not held',
					'the other findings may say why',
				);
				return;
			}
			// The end of a lease is the way to a waiter whose holder has died.
			$token = $this->abandon($client, $patient->name);
			if ($token === null) {
				yield Finding::problem(
					'lock-fails',
					null,
					'a lock with a lease of 4 s was lost before the answer came',
					'answers take too long: look at the network and at SLOWLOG GET, or use longer leases',
				);
				return;
			}
			$next = $client->lock($patient->name, 5.0);
			$waited = $next->acquire(10.0);
			if ($waited === null) {
				yield Finding::problem(
					'lock-fails',
					null,
					'a lock whose lease had ended was not handed on',
					'does the server expire keys (DEBUG SET-ACTIVE-EXPIRE), does its clock run?',
				);
				$client->release($patient->name, $token);
			} elseif ($waited <= $fence) {
				yield Finding::problem(
					'lock-fails',
					null,
					"the second fence ($waited) is not larger than the first ($fence)",
					'does somebody else write or delete fence keys?',
				);
			}
			$next->release();
		} catch (\RedisLock\RedisLockException $problem) {
			yield Finding::problem(
				'lock-fails',
				null,
				Application::message($problem),
				'the other findings say what is in the way',
			);
		} finally {
			restore_error_handler();
		}
		foreach (array_unique($warnings) as $warning) {
			yield Finding::warning('lock-warns', null, $warning, 'the other findings say what is in the way');
		}
	}

	/** Leaves the lock held, for a short time, by nobody who would give it back. Returns its token, null if that fails. */
	private function abandon(\RedisLock\Client $client, string $name): ?string
	{
		// Longer where answers take so long that a short lease is over before.
		foreach ([0.25, 1.0, 4.0] as $ttl) {
			try {
				$holder = $client->lock($name, $ttl);
				if ($holder->acquire(2.0) !== null && $holder->isHeld()) {
					return $holder->detach();
				}
			} catch (\RedisLock\LostException) {
			}
		}
		return null;
	}
}
