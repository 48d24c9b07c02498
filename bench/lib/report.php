<?php
declare(strict_types=1);

namespace Bench;

/** The table of a benchmark. */
final class Report
{
	/** @var list<array{string, string, string, string}> */
	private array $rows = [];
	private bool $missed = false;

	/** @param bool|null $met null: only to know */
	public function row(string $what, string $bar, string $measured, ?bool $met): void
	{
		$row = [$what, $bar, $measured, match ($met) { true => 'yes', false => 'NO', null => '' }];
		$this->rows[] = $row;
		$this->missed = $this->missed || $met === false;
		fprintf(STDERR, "  %s: %s%s\n", $what, $measured, $met === false ? "  (bar missed: $bar)" : '');
	}

	public function isMissed(): bool
	{
		return $this->missed;
	}

	public function table(): string
	{
		$rows = [['what', 'bar', 'measured', 'met'], ...$this->rows];
		$widths = array_map(fn (int $column) => max(array_map(fn (array $row) => mb_strlen($row[$column]), $rows)), [0, 1, 2, 3]);
		$table = '';
		foreach ($rows as $number => $row) {
			$table .= rtrim('| ' . implode(' | ', array_map(fn (string $cell, int $width) => $cell . str_repeat(' ', $width - mb_strlen($cell)), $row, $widths)) . ' |') . "\n";
			if ($number === 0) {
				$table .= '|' . implode('|', array_map(fn (int $width) => str_repeat('-', $width + 2), $widths)) . "|\n";
			}
		}
		return $table;
	}

	public function print(): void
	{
		echo $this->table();
	}
}
