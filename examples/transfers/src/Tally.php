<?php
declare(strict_types=1);

namespace Transfers;

/** What the conductor has counted in one run. */
final class Tally
{
	/** @var array<string, int> value of an Outcome => deliveries that it was given to */
	private array $outcomes = [];

	/** Locks acquired. */
	public int $taken = 0;

	/** Locks whose lease ended before their holder gave them back. */
	public int $lost = 0;

	public float $seconds = 0.0;

	public function add(Result $result): void
	{
		$this->outcomes[$result->outcome->value] = $this->count($result->outcome) + 1;
		$this->taken += count($result->fences);
		$this->lost += $result->lost;
	}

	/** @param array<string, int> $fences the locks of a worker that was killed and can tell nobody */
	public function addKilled(array $fences): void
	{
		$this->taken += count($fences);
		$this->lost += count($fences);
	}

	public function count(Outcome $outcome): int
	{
		return $this->outcomes[$outcome->value] ?? 0;
	}

	/** Deliveries that are over. */
	public function final(): int
	{
		return $this->count(Outcome::Done) + $this->count(Outcome::Refused) + $this->count(Outcome::Duplicate);
	}
}
