<?php
declare(strict_types=1);

namespace Chaos;

/** What is printed at the end. */
final class Report
{
	private const OUTCOMES = ['acknowledged', 'stale', 'contended', 'no lock', 'failed', 'unknown', 'killed'];

	/** So many violations are printed. */
	private const SHOWN = 20;

	/**
	 * @param array<string, int> $faults kind => number
	 * @param list<string> $violations
	 */
	public function __construct(
		private readonly Options $options,
		private readonly History $history,
		private readonly array $faults,
		private readonly array $violations,
	) {
	}

	public function print(): void
	{
		$outcomes = $this->history->outcomes() + array_fill_keys(self::OUTCOMES, 0);
		$stale = $this->history->count('stale', 'step') + ['claim' => 0, 'write' => 0];
		$acquisitions = array_sum(array_map(count(...), $this->history->acquisitions));
		$rows = [
			'operations' => sprintf(
				'%d, %d locks taken, %d times a worker thought for longer than its lease',
				count($this->history->operations),
				$acquisitions,
				$this->history->dawdles,
			),
			'acknowledged' => (string) $outcomes['acknowledged'],
			'stale, refused' => sprintf('%d (%d when claiming, %d when writing)', $outcomes['stale'], $stale['claim'], $stale['write']),
			'contended' => (string) $outcomes['contended'],
			'no lock' => self::counts($outcomes['no lock'], $this->history->count('no lock', 'why')),
			'database failed' => self::counts($outcomes['failed'], $this->history->count('failed', 'why')),
			'outcome unknown' => sprintf(
				'%d (%d of killed workers, %d of broken database connections)',
				$outcomes['killed'] + $outcomes['unknown'],
				$outcomes['killed'],
				$outcomes['unknown'],
			),
			'faults' => self::counts(array_sum($this->faults), $this->faults),
		];
		foreach ($rows as $name => $value) {
			printf("%-17s%s\n", $name, $value);
		}
		if ($this->violations !== []) {
			$kinds = array_count_values(array_map(static fn (string $violation) => strtok($violation, ':'), $this->violations));
			printf("%-17s%s\n", 'violations', self::counts(count($this->violations), $kinds));
			foreach (array_slice($this->violations, 0, self::SHOWN) as $violation) {
				echo "  $violation\n";
			}
			if (count($this->violations) > self::SHOWN) {
				printf("  and %d more\n", count($this->violations) - self::SHOWN);
			}
		}
	}

	/** @param array<string, int> $counts */
	private static function counts(int $sum, array $counts): string
	{
		$parts = [];
		foreach ($counts as $name => $count) {
			$name = preg_replace('/^RedisLock\\\\/', '', trim((string) $name));
			$parts[] = "$name $count";
		}
		return $parts === [] ? (string) $sum : "$sum (" . implode(', ', $parts) . ')';
	}

	/**
	 * What the run would have to show and does not. A run in which nothing happened proves nothing.
	 *
	 * @return list<string>
	 */
	public function missing(): array
	{
		$missing = [];
		$outcomes = $this->history->outcomes();
		if (($outcomes['acknowledged'] ?? 0) < 5 * $this->options->seconds) {
			$missing[] = 'hardly anything was acknowledged';
		}
		if (($outcomes['crashed'] ?? 0) > 0) {
			$missing[] = 'a worker crashed';
		}
		if (!$this->options->guard) {
			if (preg_grep('/^lost update:/', $this->violations) === []) {
				$missing[] = 'without the guard, there must be lost updates: the checker does not see them, or the faults do no harm';
			}
			return $missing;
		}
		if ($this->options->seconds >= 30) {
			foreach (array_keys($this->faults, 0, true) as $kind) {
				$missing[] = "this never happened: $kind";
			}
			foreach (['claim', 'write'] as $step) {
				if (($this->history->count('stale', 'step')[$step] ?? 0) === 0) {
					$missing[] = "no stale fence was refused at the $step";
				}
			}
		}
		return $missing;
	}
}
