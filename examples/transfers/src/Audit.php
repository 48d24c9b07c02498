<?php
declare(strict_types=1);

namespace Transfers;

/** Compares what the workers have left in the database with what must be there. */
final class Audit
{
	/** @var array<string, int> account => cents */
	private readonly array $balances;

	/** @var list<array<string, int|string>> */
	private readonly array $decisions;

	/** @param array<string, int> $openingBalances account => cents */
	public function __construct(
		private readonly array $openingBalances,
		private readonly SerialCalculation $serial,
		Ledger $ledger,
	) {
		$this->balances = $ledger->allBalances();
		$this->decisions = $ledger->allDecisions();
	}

	/** @return array<string, bool> what must be true => is it? */
	public function checks(Tally $tally): array
	{
		return [
			sprintf('all %d balances are those of the serial calculation', count($this->balances))
				=> $this->wrongBalances() === [],
			sprintf('all %s transfers are decided, once, as in the serial calculation',
				number_format(count($this->serial->decisions))) => $this->decisionsAreRight(),
			'every balance follows from the one before, in the order of the fences' => $this->booksAddUp(),
			'no money has come into being or got lost, and no balance is negative'
				=> array_sum($this->balances) === array_sum($this->openingBalances) && min($this->balances) >= 0,
			'the workers report what the database holds' => $this->tallyIsRight($tally),
		];
	}

	/** @return array<string, array{int, int}> account => cents that it should hold, and that it holds */
	public function wrongBalances(): array
	{
		$wrong = [];
		foreach ($this->serial->balances as $account => $cents) {
			if (($this->balances[$account] ?? null) !== $cents) {
				$wrong[$account] = [$cents, $this->balances[$account] ?? 0];
			}
		}
		return $wrong;
	}

	/** Money that has come into being (more than 0) or got lost (less), in cents. */
	public function moneyMade(): int
	{
		return array_sum($this->balances) - array_sum($this->openingBalances);
	}

	private function decisionsAreRight(): bool
	{
		$decided = array_column($this->decisions, 'outcome', 'id');
		$expected = array_map(fn (Outcome $outcome) => $outcome->value, $this->serial->decisions);
		ksort($decided);
		ksort($expected);
		return $decided === $expected;
	}

	/**
	 * Each decision says with which fence and to which balance it has changed its accounts. In the order of the fences
	 * they must make an unbroken chain from the opening balance to the final one. A lost or late write breaks it.
	 */
	private function booksAddUp(): bool
	{
		$books = array_fill_keys(array_keys($this->openingBalances), []);
		foreach ($this->decisions as $row) {
			$moved = $row['outcome'] === Outcome::Done->value ? $row['cents'] : 0;
			$entries = [
				[$row['from_account'], $row['from_fence'], -$moved, $row['from_cents']],
				[$row['to_account'], $row['to_fence'], $moved, $row['to_cents']],
			];
			foreach ($entries as [$account, $fence, $change, $cents]) {
				if (isset($books[$account][$fence])) {
					return false;
				}
				$books[$account][$fence] = [$change, $cents];
			}
		}
		foreach ($books as $account => $book) {
			ksort($book);
			$running = $this->openingBalances[$account];
			foreach ($book as [$change, $cents]) {
				$running += $change;
				if ($running !== $cents) {
					return false;
				}
			}
			if ($running !== $this->balances[$account]) {
				return false;
			}
		}
		return true;
	}

	private function tallyIsRight(Tally $tally): bool
	{
		return $tally->count(Outcome::Done) === $this->serial->count(Outcome::Done)
			&& $tally->count(Outcome::Refused) === $this->serial->count(Outcome::Refused)
			&& $tally->count(Outcome::Duplicate) === $this->serial->duplicates;
	}
}
