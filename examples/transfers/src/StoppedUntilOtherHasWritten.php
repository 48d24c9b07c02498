<?php
declare(strict_types=1);

namespace Transfers;

/** The stopped worker goes on when another one has changed a balance that it had read. */
final class StoppedUntilOtherHasWritten extends StoppedWorker
{
	public function handled(WorkerProcess $worker, Transfer $transfer, Result $result): void
	{
		parent::handled($worker, $transfer, $result);
		// We may hear only now of somebody who had an account before the stopped worker.
		if ($this->isWaitingForOther() && $result->outcome === Outcome::Done && $this->couldOvertake($transfer)
			&& $this->isNewer($result->fences)) {
			$this->continueLate($worker, $transfer, 'and does %s');
		}
	}
}
