<?php
declare(strict_types=1);

namespace Transfers;

/**
 * A worker is stopped after it has read the balances and before it writes. Its lease ends, another worker gets one of
 * its accounts, and then the first one goes on, with what it read before. How far the other one has got by then is what
 * the two kinds of this scene differ in.
 */
abstract class StoppedWorker implements Scene
{
	/** The transfer whose worker is stopped. */
	private ?Transfer $transfer = null;

	private ?WorkerProcess $worker = null;

	/** @var array<string, int>|null account => fence, of the stopped worker; null: it is not stopped yet */
	private ?array $fences = null;

	/** The transfer with which another worker has taken its place; null: nobody has yet. */
	private ?Transfer $overtaker = null;

	/** What came of the late write. */
	private ?Result $late = null;

	private int $stoppedAt = 0;

	/**
	 * @param int $startAfter begin when so many deliveries are over
	 * @param int $others how many transfers have to be waiting that could take the place of the stopped worker's
	 */
	final public function __construct(
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
		$worker->goOn();
		$this->progress->event(sprintf(
			'worker %d is stopped (SIGSTOP) in the middle of %s: it has read %s and %s',
			$worker->number,
			$this->transfer->id,
			...$this->transfer->accounts(),
		));
	}

	public function handled(WorkerProcess $worker, Transfer $transfer, Result $result): void
	{
		if ($worker !== $this->worker || $this->late !== null) {
			return;
		}
		if ($this->fences === null) {
			// It did not get as far as we wanted it: another worker had the account. With another transfer, then.
			$this->transfer = $this->worker = null;
			return;
		}
		$this->late = $result;
		$this->progress->event(sprintf(
			'worker %d writes what it computed before it was stopped: %s',
			$worker->number,
			$result->outcome === Outcome::Late ? 'the database refuses it' : 'the database takes it',
		));
	}

	/** Another worker has taken the place of the stopped one: that one goes on. */
	final protected function continueLate(WorkerProcess $other, Transfer $overtaker, string $done): void
	{
		$this->overtaker = $overtaker;
		$this->progress->event(sprintf(
			'worker %d takes its place after %.1f s %s; worker %d continues (SIGCONT)',
			$other->number,
			(hrtime(true) - $this->stoppedAt) / 1e9,
			sprintf($done, $overtaker->id),
			$this->worker->number,
		));
		$this->worker->continue();
	}

	/** Does the stopped worker sleep, and nobody has taken its place? */
	final protected function isWaitingForOther(): bool
	{
		return $this->fences !== null && $this->overtaker === null;
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

	/** Is this a transfer that could take the place of the stopped worker's? */
	final protected function couldOvertake(Transfer $transfer): bool
	{
		return $this->isOther($this->transfer, $transfer);
	}

	final protected function sharesAccount(Transfer $transfer): bool
	{
		return $this->transfer !== null && $transfer->sharesAccountWith($this->transfer);
	}

	/**
	 * Were these locks taken after those of the stopped worker?
	 *
	 * @param array<string, int> $fences
	 */
	final protected function isNewer(array $fences): bool
	{
		foreach (array_intersect_key($fences, $this->fences) as $account => $fence) {
			if ($fence < $this->fences[$account]) {
				return false;
			}
		}
		return true;
	}

	/** @return array{Transfer, Transfer} the stopped worker's, and the one that took its place */
	final public function transfers(): array
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
	final public function locksLost(): int
	{
		return $this->late?->lost ?? 0;
	}

	/** Was the late write refused? */
	final public function wasLate(): bool
	{
		return $this->late?->outcome === Outcome::Late;
	}

	/** Was the late write refused, and did the worker learn that it had lost a lock? */
	final public function wasRefused(): bool
	{
		return $this->wasLate() && $this->locksLost() > 0;
	}
}
