<?php
declare(strict_types=1);

namespace Transfers;

use RuntimeException;

/** One after the other, in the order of the file, without locks and database: what must come out. */
final class SerialCalculation
{
	/** @var array<string, int> account => cents */
	public readonly array $balances;

	/** @var array<string, Outcome> id of a transfer => Done or Refused */
	public readonly array $decisions;

	/** Deliveries of transfers that were decided before. */
	public readonly int $duplicates;

	/**
	 * @param array<string, int> $openingBalances account => cents
	 * @param list<Transfer> $deliveries
	 */
	public function __construct(private readonly array $openingBalances, private readonly array $deliveries)
	{
		$balances = $openingBalances;
		$decisions = [];
		$duplicates = 0;
		foreach ($deliveries as $transfer) {
			if (isset($decisions[$transfer->id])) {
				$duplicates++;
			} elseif ($balances[$transfer->from] >= $transfer->cents) {
				$balances[$transfer->from] -= $transfer->cents;
				$balances[$transfer->to] += $transfer->cents;
				$decisions[$transfer->id] = Outcome::Done;
			} else {
				$decisions[$transfer->id] = Outcome::Refused;
			}
		}
		$this->balances = $balances;
		$this->decisions = $decisions;
		$this->duplicates = $duplicates;
	}

	/** Distinct transfers that were decided like this. */
	public function count(Outcome $decision): int
	{
		return count(array_keys($this->decisions, $decision, true));
	}

	/**
	 * Workers take the transfers in any order. Their result can be compared with this one only if no order would give
	 * another. That is so if
	 *
	 * - no account pays out more, over the whole file, than it has at the beginning: then every transfer that was done
	 *   here has its money in any order;
	 * - every transfer that was refused here asks for more than its account would have if it got all that is sent to it
	 *   and paid nothing: then there is no money for it in any order.
	 *
	 * @throws RuntimeException naming a transfer whose outcome depends on the order
	 */
	public function requireOrderDoesNotMatter(): void
	{
		$mayPay = $ceiling = $this->openingBalances;
		$distinct = array_column($this->deliveries, null, 'id');
		foreach ($distinct as $transfer) {
			if ($this->decisions[$transfer->id] === Outcome::Done) {
				$mayPay[$transfer->from] -= $transfer->cents;
				$ceiling[$transfer->to] += $transfer->cents;
			}
		}
		foreach ($distinct as $transfer) {
			$depends = match ($this->decisions[$transfer->id]) {
				Outcome::Done => $mayPay[$transfer->from] < 0,
				Outcome::Refused => $transfer->cents <= $ceiling[$transfer->from],
			};
			if ($depends) {
				throw new RuntimeException("whether there is money for $transfer->id depends on the order of the "
					. 'transfers, so there is no single right result (see examples/transfers/README.md)');
			}
		}
	}
}
