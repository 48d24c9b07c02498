<?php
declare(strict_types=1);

namespace Transfers;

use Closure;
use RedisLock\MutexFactory;

/**
 * Handles one delivery of a transfer. This is the file to read: it shows how a lock and its fence are used together.
 *
 *     lock both accounts          each lock comes with a fence, a number that only grows
 *     put the fences on the rows  from here on the database refuses whoever had the locks before us
 *     read the balances           what we read now can only be changed by somebody who comes after us
 *     compute
 *     write, with the fences      and if somebody has come after us, the database refuses us
 *     give the locks back
 *
 * Between any two of these steps this process can be stopped for any length of time: the machine swaps, a container is
 * frozen, a virtual machine is moved. When it goes on, its lease may be over, another worker may be anywhere in the
 * same steps, and it knows nothing of that. The lock alone cannot help here; asking isHeld() before the write would not
 * either, since the stop can come right after the answer. The database can, because the fence comes with the write.
 *
 * The fence has to be on the rows before they are read. If it got there only with the write, a late worker could still
 * write in the moment between our reading and our writing; the rows would not know yet that we are there.
 */
final class TransferHandler
{
	/**
	 * @param MutexFactory $locks where the locks live; an interface, so that a test can put its own there
	 * @param float $lease the longest that a crashed worker keeps others from an account. It has to be long enough for
	 *        the usual case only: for the unusual one there is the fence
	 * @param float $wait how long to wait for an account before the transfer goes back to the queue. There is work on
	 *        other accounts, so a short wait is better than a long one
	 */
	public function __construct(
		private readonly MutexFactory $locks,
		private readonly Ledger $ledger,
		private readonly float $lease,
		private readonly float $wait,
	) {
	}

	/**
	 * @param Closure(array<string, int>): void|null $beforeWriting gets the fences. The demo stops or kills workers
	 *        there; nobody else needs it
	 */
	public function handle(Transfer $transfer, ?Closure $beforeWriting = null): Result
	{
		$result = new Result();
		$held = [];
		try {
			// Everybody locks in the order of accounts(). If one worker took A then B and another one B then A, each
			// could hold what the other waits for.
			foreach ($transfer->accounts() as $account) {
				$lock = $this->locks->lock("account:$account", $this->lease);
				$fence = $lock->acquire($this->wait);
				if ($fence === null) {
					$result->outcome = Outcome::Contended;
					return $result;
				}
				$held[] = $lock;
				$result->fences[$account] = $fence;
			}
			$result->outcome = $this->decide($transfer, $result->fences, $beforeWriting);
			return $result;
		} finally {
			foreach (array_reverse($held) as $lock) {
				if (!$lock->release()) {
					// The lease was over, and maybe somebody else is at work on the account. That is no harm: the
					// fences have taken care of it. It is a sign, if it happens often, that the lease is too short.
					$result->lost++;
				}
			}
		}
	}

	/** @param array<string, int> $fences account => fence */
	private function decide(Transfer $transfer, array $fences, ?Closure $beforeWriting): Outcome
	{
		// Only to spare us the work: it is record() that makes sure of it.
		if ($this->ledger->isDecided($transfer->id)) {
			return Outcome::Duplicate;
		}
		try {
			$balances = $this->ledger->claimAndRead($fences);

			$outcome = $balances[$transfer->from] >= $transfer->cents ? Outcome::Done : Outcome::Refused;
			if ($outcome === Outcome::Done) {
				$balances[$transfer->from] -= $transfer->cents;
				$balances[$transfer->to] += $transfer->cents;
			}

			if ($beforeWriting !== null) {
				$beforeWriting($fences);
			}
			// A refusal is written with the fences, too: it was decided on a balance that may be an old one.
			return $this->ledger->record($transfer, $outcome, $balances, $fences) ? $outcome : Outcome::Duplicate;
		} catch (TooLate) {
			// Trying the same write again would never help: what we have computed is out of date. The transfer goes
			// back to the queue, and whoever gets it begins anew, with new locks and new fences.
			return Outcome::Late;
		}
	}
}
