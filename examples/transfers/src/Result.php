<?php
declare(strict_types=1);

namespace Transfers;

/** How TransferHandler fared with one delivery. It crosses the pipe between worker and conductor as an array. */
final class Result
{
	public Outcome $outcome;

	/** @var array<string, int> account => fence, for each lock that was taken */
	public array $fences = [];

	/** Locks that were no longer ours when we gave them back. */
	public int $lost = 0;

	/** @return array{outcome: string, fences: array<string, int>, lost: int} */
	public function toArray(): array
	{
		return ['outcome' => $this->outcome->value, 'fences' => $this->fences, 'lost' => $this->lost];
	}

	/** @param array{outcome: string, fences: array<string, int>, lost: int} $array */
	public static function fromArray(array $array): self
	{
		$result = new self();
		$result->outcome = Outcome::from($array['outcome']);
		$result->fences = $array['fences'];
		$result->lost = $array['lost'];
		return $result;
	}
}
