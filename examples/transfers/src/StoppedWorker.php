<?php
declare(strict_types=1);

namespace Transfers;

/**
 * A worker is stopped after it has read the balances and before it writes. Its lease ends, another worker gets one of
 * its accounts and changes the balance, and then the first one goes on, with what it read before.
 */
final class StoppedWorker implements Scene
{
	/** The transfer whose worker is stopped. */
	private ?Transfer $transfer = null;

	private ?WorkerProcess $worker = null;

	/** @var array<string, int>|null account => fence, of the stopped worker; null: it is not stopped yet */
	private ?array $fences = null;

	/** The transfer with which another worker took its place. */
	private ?Transfer $overtaker = null;

	/** What came of the late write. */
	private ?Result $late = null;

	private int $stoppedAt = 0;

	/**
	 * @param int $startAfter begin when so many deliveries are over
	 * @param int $others how many transfers have to be waiting that could take the place of the stopped worker's
	 */
	public function __construct(
		private readonly SerialCalculation $serial,
		private readonly int $startAfter,
		private readonly int $others,
		private readonly Progress $progress,
	) {
	}

	public function wants(Transfer $transfer, WorkerProcess $worker, Conductor $conductor): bool
	{
		if ($this->transfer !== null || $conductor->final() < $this->startAfter || !$this->isDone($transfer)) {
			return false;
		}
		$others = array_filter($conductor->waiting(), fn (Transfer $other) => $this->isOther($transfer, $other));
		if (count($others) < $this->others) {
			return false;
		}
		$this->transfer = $transfer;
		$this->worker = $worker;
		return true;
	}

	/** Until our worker has its locks, nobody else gets work on its accounts: it is to be the first. */
	public function allows(Transfer $transfer): bool
	{
		return $this->transfer === null || $this->fences !== null || !$transfer->sharesAccountWith($this->transfer);
	}

	public function readyToWrite(WorkerProcess $worker, array $fences): void
	{
		$this->fences = $fences;
		$worker->stop();
		$this->stoppedAt = hrtime(true);
		// It will find this when it is continued, and go on.
		$worker->channel->send(['goOn' => true]);
		$this->progress->event(sprintf(
			'worker %d is stopped (SIGSTOP) in the middle of %s: it has read %s and %s',
			$worker->number,
			$this->transfer->id,
			...$this->transfer->accounts(),
		));
	}

	public function handled(WorkerProcess $worker, Transfer $transfer, Result $result): void
	{
		if ($worker === $this->worker && $this->late === null) {
			$this->handledByOurs($result);
		} elseif ($this->fences !== null && $this->overtaker === null && $result->outcome === Outcome::Done
			&& $this->isOther($this->transfer, $transfer) && $this->isNewer($result)) {
			$this->overtaker = $transfer;
			$this->progress->event(sprintf(
				'worker %d takes its place after %.1f s and does %s; worker %d continues (SIGCONT)',
				$worker->number,
				(hrtime(true) - $this->stoppedAt) / 1e9,
				$transfer->id,
				$this->worker->number,
			));
			$this->worker->continue();
		}
	}

	private function handledByOurs(Result $result): void
	{
		if ($this->fences === null) {
			// It did not get as far as we wanted it: another worker had the account. With another transfer, then.
			$this->transfer = $this->worker = null;
			return;
		}
		$this->late = $result;
		$this->progress->event(sprintf(
			'worker %d writes what it computed before it was stopped: %s',
			$this->worker->number,
			$result->outcome === Outcome::Late ? 'the database refuses it' : 'the database takes it',
		));
	}

	/** Would this transfer change balances? */
	private function isDone(Transfer $transfer): bool
	{
		return $this->serial->decisions[$transfer->id] === Outcome::Done;
	}

	/** Could the other one change a balance that the worker of the first one has read? */
	private function isOther(Transfer $transfer, Transfer $other): bool
	{
		return $other->id !== $transfer->id && $this->isDone($other) && $other->sharesAccountWith($transfer);
	}

	/** Were these locks taken after ours? We may hear only now of somebody who had an account before us. */
	private function isNewer(Result $result): bool
	{
		foreach (array_intersect_key($result->fences, $this->fences) as $account => $fence) {
			if ($fence < $this->fences[$account]) {
				return false;
			}
		}
		return true;
	}

	/** @return array{Transfer, Transfer} the stopped worker's, and the one that took its place */
	public function transfers(): array
	{
		return [$this->transfer, $this->overtaker];
	}

	public function isOver(): bool
	{
		return $this->late !== null;
	}

	/**
	 * Locks that the stopped worker could not give back, because they were not its own any more. Usually both; but the
	 * second one was taken a moment after the first, and the first is enough for somebody to take its place.
	 */
	public function locksLost(): int
	{
		return $this->late?->lost ?? 0;
	}

	/** Was the late write refused, and did the worker learn that it had lost a lock? */
	public function wasRefused(): bool
	{
		return $this->late?->outcome === Outcome::Late && $this->locksLost() > 0;
	}
}
