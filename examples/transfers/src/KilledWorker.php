<?php
declare(strict_types=1);

namespace Transfers;

use RedisLock\MutexFactory;

/**
 * A worker is killed while it holds two locks. Nobody gives them back, so their leases have to end; then the others go
 * on. One of them gets the transfer that the dead one left behind.
 */
final class KilledWorker implements Scene
{
	/** How exactly we can compare the server's clock, in whole milliseconds, with ours. */
	private const PRECISION = 0.01;

	private ?Transfer $transfer = null;

	private ?WorkerProcess $worker = null;

	/** @var array<string, int> account => fence, of the killed worker */
	private array $fences = [];

	/** @var array<string, float> account => when its lease ends, by our clock */
	private array $leaseEnds = [];

	/** When the worker was dead, by our clock; null: it is not yet. */
	private ?float $killedAt = null;

	/** @var array<string, bool> account that another worker has locked since => not before the lease had ended? */
	private array $taken = [];

	/** Were both locks held after their holder's death? */
	private bool $stillHeld = false;

	/** @param int $startAfter begin when so many deliveries are over */
	public function __construct(
		private readonly SerialCalculation $serial,
		private readonly int $startAfter,
		private readonly MutexFactory $locks,
		private readonly Progress $progress,
	) {
	}

	public function wants(Transfer $transfer, WorkerProcess $worker, Conductor $conductor): bool
	{
		if ($this->transfer !== null || $conductor->final() < $this->startAfter
			|| $this->serial->decisions[$transfer->id] !== Outcome::Done) {
			return false;
		}
		$this->transfer = $transfer;
		$this->worker = $worker;
		return true;
	}

	public function allows(Transfer $transfer): bool
	{
		return true;
	}

	public function readyToWrite(WorkerProcess $worker, array $fences): void
	{
		$this->fences = $fences;
		// The clock first: then the leases end at these times or a little later, never before.
		$now = self::now();
		foreach (array_keys($fences) as $account) {
			$this->leaseEnds[$account] = $now + ($this->inspect($account)['remaining'] ?? 0.0);
		}
		$worker->kill();
		$this->killedAt = self::now();
		$this->stillHeld = true;
		foreach (array_keys($fences) as $account) {
			$this->stillHeld = $this->stillHeld && $this->inspect($account)['held'];
		}
		$this->progress->event(sprintf(
			'worker %d is killed (SIGKILL) in the middle of %s: it leaves %s and %s locked for %.1f s',
			$worker->number,
			$this->transfer->id,
			...[...$this->transfer->accounts(), max($this->leaseEnds) - $this->killedAt],
		));
	}

	public function handled(WorkerProcess $worker, Transfer $transfer, Result $result): void
	{
		if ($this->killedAt === null) {
			if ($worker === $this->worker) {
				// It did not get as far as we wanted it: another worker had the account. With another transfer, then.
				$this->transfer = $this->worker = null;
			}
			return;
		}
		foreach ($result->fences as $account => $fence) {
			// A smaller fence is from before: we may hear of it only now.
			if ($fence > ($this->fences[$account] ?? PHP_INT_MAX) && !isset($this->taken[$account])) {
				$now = self::now();
				$this->taken[$account] = $now >= $this->leaseEnds[$account] - self::PRECISION;
				$this->progress->event(sprintf(
					'worker %d has got the lock on %s, %.1f s after the death of worker %d',
					$worker->number,
					$account,
					$now - $this->killedAt,
					$this->worker->number,
				));
			}
		}
	}

	/** @return array{held: bool, remaining: ?float} what Redis says of the lock */
	private function inspect(string $account): array
	{
		return $this->locks->inspect("account:$account");
	}

	/** In seconds, by a clock that nobody sets. */
	private static function now(): float
	{
		return hrtime(true) / 1e9;
	}

	public function isOver(): bool
	{
		return $this->killedAt !== null && count($this->taken) === count($this->fences);
	}

	/** Locks that only the end of their lease has freed. */
	public function locksLost(): int
	{
		return count($this->fences);
	}

	/** Did the others wait for the end of the leases, and then go on? */
	public function wentWell(): bool
	{
		return $this->isOver() && $this->stillHeld && !in_array(false, $this->taken, true);
	}
}
