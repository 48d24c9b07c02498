<?php
declare(strict_types=1);

namespace Transfers;

use RuntimeException;

/** An order to move money. The queue may deliver it more than once; its id says that it is the same one. */
final class Transfer
{
	public function __construct(
		public readonly string $id,
		public readonly string $from,
		public readonly string $to,
		public readonly int $cents,
	) {
		if ($id === '' || $from === '' || $to === '' || $from === $to || $cents <= 0) {
			throw new RuntimeException("this is not a transfer: $id,$from,$to,$cents");
		}
	}

	/**
	 * Both accounts, always in the same order: the order in which they are locked.
	 *
	 * @return array{string, string}
	 */
	public function accounts(): array
	{
		return $this->from < $this->to ? [$this->from, $this->to] : [$this->to, $this->from];
	}

	public function sharesAccountWith(self $other): bool
	{
		return array_intersect($this->accounts(), $other->accounts()) !== [];
	}

	/**
	 * The deliveries in transfers.csv, in the order of arrival.
	 *
	 * @return list<self>
	 */
	public static function readAll(string $file): array
	{
		$transfers = [];
		foreach (self::readCsv($file, ['transfer', 'from', 'to', 'cents']) as [$id, $from, $to, $cents]) {
			$transfers[] = new self($id, $from, $to, self::cents($cents, $file));
		}
		return $transfers;
	}

	/**
	 * The accounts in opening-balances.csv.
	 *
	 * @return array<string, int> account => cents
	 */
	public static function readOpeningBalances(string $file): array
	{
		$balances = [];
		foreach (self::readCsv($file, ['account', 'cents']) as [$account, $cents]) {
			$balances[$account] = self::cents($cents, $file);
		}
		return $balances;
	}

	/**
	 * @param list<string> $columns
	 * @return list<list<string>> the lines without the first
	 */
	private static function readCsv(string $file, array $columns): array
	{
		$lines = @file($file, FILE_IGNORE_NEW_LINES);
		if ($lines === false) {
			throw new RuntimeException("cannot read $file");
		}
		$rows = array_map(fn (string $line) => explode(',', $line), $lines);
		if (array_shift($rows) !== $columns) {
			throw new RuntimeException("$file does not begin with " . implode(',', $columns));
		}
		foreach ($rows as $i => $row) {
			if (count($row) !== count($columns)) {
				throw new RuntimeException(sprintf('%s:%d has not %d columns', $file, $i + 2, count($columns)));
			}
		}
		return $rows;
	}

	private static function cents(string $text, string $file): int
	{
		if (preg_match('/^[0-9]{1,15}$/', $text) !== 1) {
			throw new RuntimeException("$file: not a number of cents: $text");
		}
		return (int) $text;
	}
}
