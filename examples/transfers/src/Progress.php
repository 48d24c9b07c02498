<?php
declare(strict_types=1);

namespace Transfers;

/** Tells people how far we are: on a terminal by one line that changes, otherwise by a few plain lines. */
final class Progress
{
	/** Fewer deliveries are done before anybody has read a line about them. */
	private const WORTH_A_LINE = 100;

	private readonly bool $terminal;

	private string $line = '';

	/** Plain lines come at each quarter. */
	private int $quarter = 0;

	/** @param resource $stream */
	public function __construct(private $stream)
	{
		$this->terminal = stream_isatty($stream);
	}

	public function show(int $final, int $total, int $workers): void
	{
		$line = sprintf('  %s of %s deliveries, %d workers', number_format($final), number_format($total), $workers);
		if ($this->terminal) {
			if ($line !== $this->line) {
				$this->line = $line;
				$this->write("\r\e[K$line");
			}
			return;
		}
		$quarter = intdiv(4 * $final, $total);
		if ($total >= self::WORTH_A_LINE && $quarter > $this->quarter) {
			$this->quarter = $quarter;
			$this->write("$line\n");
		}
	}

	public function event(string $text): void
	{
		$this->write($this->terminal ? "\r\e[K  $text\n$this->line" : "  $text\n");
	}

	/** A new part begins. */
	public function heading(string $text): void
	{
		$this->clear();
		$this->quarter = 0;
		$this->write("$text\n");
	}

	public function clear(): void
	{
		if ($this->terminal && $this->line !== '') {
			$this->line = '';
			$this->write("\r\e[K");
		}
	}

	private function write(string $text): void
	{
		fwrite($this->stream, $text);
	}
}
