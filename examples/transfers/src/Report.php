<?php
declare(strict_types=1);

namespace Transfers;

/** The table at the end. */
final class Report
{
	/** @param resource $stream */
	public function __construct(private $stream)
	{
	}

	/** @param int $lostByStop how many of the lost locks were the stopped worker's, and so on */
	public function tally(Tally $tally, int $lostByStop, int $lostByKill): void
	{
		$this->heading('Transfers');
		$this->number('done', $tally->count(Outcome::Done));
		$this->number('refused for lack of funds', $tally->count(Outcome::Refused));
		$this->number('duplicates skipped', $tally->count(Outcome::Duplicate));
		$this->number('deliveries', $tally->final(), sprintf('in %.1f s', $tally->seconds));
		$this->heading('Locks');
		$this->number('taken', $tally->taken);
		$this->number('contended', $tally->count(Outcome::Contended), 'the transfer went back to the queue');
		$this->number('lost to expiry', $tally->lost,
			"$lostByStop of the stopped worker, $lostByKill of the killed one");
		$this->heading('Fences');
		$this->number('late writes refused', $tally->count(Outcome::Late));
	}

	/**
	 * @param array{Transfer, Transfer} $transfers the stopped worker's, and the one that took its place
	 * @param array<string, array{int, int}> $wrongBalances account => cents that it should hold, and that it holds
	 */
	public function withoutFence(array $transfers, array $wrongBalances, int $moneyMade): void
	{
		[$stopped, $overtaker] = $transfers;
		$this->heading("The same stop without the fence ($stopped->id stopped, $overtaker->id in between)");
		$this->line('  %-8s %14s %14s %14s', 'account', 'should hold', 'holds', 'wrong by');
		foreach ($wrongBalances as $account => [$right, $wrong]) {
			$this->line('  %-8s %14s %14s %14s', $account, ...array_map(self::money(...), [$right, $wrong, $wrong - $right]));
		}
		$what = match ($moneyMade <=> 0) {
			1 => sprintf('%s has come from nowhere', self::money($moneyMade)),
			-1 => sprintf('%s has vanished', self::money(-$moneyMade)),
			0 => 'the sum is right all the same',
		};
		$this->line('  %s is overwritten; %s; nobody got an error.', $overtaker->id, $what);
	}

	/** @param array<string, bool> $checks what must be true => is it? */
	public function checks(array $checks): void
	{
		$this->heading('Checked');
		foreach ($checks as $what => $isTrue) {
			$this->line('  %-6s %s', $isTrue ? 'ok' : 'WRONG', $what);
		}
	}

	public function heading(string $text): void
	{
		$this->line("\n%s", $text);
	}

	private function number(string $what, int $number, string $remark = ''): void
	{
		$this->line('%s', rtrim(sprintf('  %-28s %8s   %s', $what, number_format($number), $remark)));
	}

	private function line(string $format, int|float|string ...$values): void
	{
		fwrite($this->stream, sprintf($format, ...$values) . "\n");
	}

	private static function money(int $cents): string
	{
		return number_format($cents / 100, 2);
	}
}
