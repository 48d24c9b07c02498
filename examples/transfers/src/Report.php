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

	/**
	 * @param int $lostByStop how many of the lost locks were the stopped workers', and so on
	 * @param int $lateByStop how many of the late writes were theirs
	 */
	public function tally(Tally $tally, int $lostByStop, int $lostByKill, int $lateByStop): void
	{
		$this->heading('Transfers');
		$this->number('done', $tally->count(Outcome::Done));
		$this->number('refused for lack of funds', $tally->count(Outcome::Refused));
		$this->number('duplicates skipped', $tally->count(Outcome::Duplicate));
		$this->number('deliveries', $tally->final(), sprintf('in %.1f s', $tally->seconds));
		$this->heading('Locks');
		$this->number('taken', $tally->taken);
		$this->number('contended', $tally->count(Outcome::Contended), 'the transfer went back to the queue');
		$this->number(
			'lost to expiry',
			$tally->lost,
			"$lostByStop of the stopped workers, $lostByKill of the killed one"
				. self::others($tally->lost - $lostByStop - $lostByKill),
		);
		$this->heading('Fences');
		$late = $tally->count(Outcome::Late);
		$this->number(
			'late writes refused',
			$late,
			"$lateByStop of the stopped workers" . self::others($late - $lateByStop),
		);
	}

	/** On a machine with much else to do a worker may be slower than its lease without our help. */
	private static function others(int $number): string
	{
		return $number === 0 ? '' : ", $number of others that were too slow";
	}

	/**
	 * What comes of a stop if the fences are not used as they should be.
	 *
	 * @param array{Transfer, Transfer} $transfers the stopped worker's, and the one that took its place
	 * @param Transfer $overwritten the one of them that was written first
	 */
	public function damage(string $heading, array $transfers, Transfer $overwritten, Audit $audit): void
	{
		[$stopped, $overtaker] = $transfers;
		$wrongBalances = $audit->wrongBalances();
		$moneyMade = $audit->moneyMade();
		$this->heading("$heading ($stopped->id stopped, $overtaker->id in between)");
		if ($wrongBalances === []) {
			$this->line('  No balance is wrong.');
			return;
		}
		$this->line('  %-8s %14s %14s %14s', 'account', 'should hold', 'holds', 'wrong by');
		foreach ($wrongBalances as $account => [$right, $wrong]) {
			$amounts = array_map(self::money(...), [$right, $wrong, $wrong - $right]);
			$this->line('  %-8s %14s %14s %14s', $account, ...$amounts);
		}
		$what = match ($moneyMade <=> 0) {
			1 => sprintf('%s has come from nowhere', self::money($moneyMade)),
			-1 => sprintf('%s has vanished', self::money(-$moneyMade)),
			0 => 'the sum is right all the same',
		};
		$this->line('  %s is overwritten; %s; nobody got an error.', $overwritten->id, $what);
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
