<?php
declare(strict_types=1);

namespace Transfers;

/**
 * The stopped worker goes on in the worst moment: when another one has read a balance that it had read, too, and has
 * not written yet. Nothing has changed on the row since both have read it, except the fence, if the other one has put
 * it there before it read.
 */
final class StoppedUntilOtherHasRead extends StoppedWorker
{
	/** The worker that is to take the place of the stopped one, or has. */
	private ?WorkerProcess $other = null;

	/** It has read, and waits until the stopped one has written. */
	private bool $otherHasRead = false;

	public function wants(Transfer $transfer, WorkerProcess $worker, Conductor $conductor): bool
	{
		if (parent::wants($transfer, $worker, $conductor)) {
			return true;
		}
		if ($this->isWaitingForOther() && $this->other === null && $this->couldOvertake($transfer)) {
			$this->other = $worker;
			return true;
		}
		return false;
	}

	/** One worker after the other tries to take the place. If two did, the late write could come after one of them. */
	public function allows(Transfer $transfer): bool
	{
		return $this->isOver() || !$this->sharesAccount($transfer)
			|| ($this->isWaitingForOther() && $this->other === null && $this->couldOvertake($transfer));
	}

	public function readyToWrite(WorkerProcess $worker, array $fences): void
	{
		if ($worker !== $this->other) {
			parent::readyToWrite($worker, $fences);
			return;
		}
		$this->otherHasRead = true;
		$this->continueLate($worker, $worker->transfer, 'with %s, has read and not yet written');
	}

	public function handled(WorkerProcess $worker, Transfer $transfer, Result $result): void
	{
		$wasOver = $this->isOver();
		parent::handled($worker, $transfer, $result);
		if ($this->isOver() && !$wasOver) {
			$this->other->goOn();
		} elseif ($worker === $this->other && !$this->otherHasRead) {
			// The lease of the stopped one is not over yet, or this is a second delivery. With another one, then.
			$this->other = null;
		}
	}
}
