<?php
declare(strict_types=1);

namespace Transfers;

use Closure;
use RedisLock\MutexFactory;

/**
 * Handles one delivery of a transfer. This is the file to read: it shows how a lock and its fence are used together.
 *
 *     lock both accounts          each lock comes with a fence, a number that only grows
 *     read the balances
 *     compute
 *     write, with the fences      the database refuses if it has seen a larger fence for one of the accounts
 *     give the locks back
 *
 * Between reading and writing this process can be stopped for any length of time: the machine swaps, a container is
 * frozen, a virtual machine is moved. When it goes on, its lease may be over, another worker may have changed the
 * balances, and it knows nothing of that. The lock alone cannot help here; asking isHeld() before the write would not
 * either, since the stop can come right after the answer. The database can, because the fence comes with the write.
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
		if ($this->ledger->isDecided($transfer->id)) {
			return Outcome::Duplicate;
		}
		$balances = $this->ledger->balances($transfer->accounts());

		$outcome = $balances[$transfer->from] >= $transfer->cents ? Outcome::Done : Outcome::Refused;
		if ($outcome === Outcome::Done) {
			$balances[$transfer->from] -= $transfer->cents;
			$balances[$transfer->to] += $transfer->cents;
		}

		if ($beforeWriting !== null) {
			$beforeWriting($fences);
		}
		// A refusal is written with the fences, too: it was decided on a balance that may be an old one.
		return $this->ledger->record($transfer, $outcome, $balances, $fences);
	}
}
