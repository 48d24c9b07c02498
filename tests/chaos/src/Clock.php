<?php
declare(strict_types=1);

namespace Chaos;

/** The wall clock of some processes, see tests/clock/shift.c. */
final class Clock
{
	private int $offset = 0;

	/** The latest time that it has ever shown, in microseconds. */
	private int $latest = 0;

	/** It is not set back behind this. */
	private int $floor = 0;

	public function __construct(public readonly string $file)
	{
		file_put_contents($file, pack('q', 0));
	}

	public function now(): int
	{
		return (int) (microtime(true) * 1e6) + $this->offset;
	}

	/** Sets it forward or back by so many microseconds, as far as it may go back. Returns by how many. */
	public function move(int $by): int
	{
		$now = $this->now();
		$this->latest = max($this->latest, $now);
		$by = max($by, min(0, $this->floor - $now));
		$this->offset += $by;
		// In place: the processes have this very file mapped.
		$file = fopen($this->file, 'r+');
		fwrite($file, pack('q', $this->offset));
		fclose($file);
		return $by;
	}

	/**
	 * To be called before and after the servers lose what they know. redislock promises growing fences through that if
	 * the clock is not behind: so it is set past everything it has ever shown, and never goes back behind this moment.
	 */
	public function beyond(): void
	{
		$behind = $this->latest - $this->now();
		if ($behind > -10_000) {
			$this->move($behind + 10_000);
		}
		$this->floor = $this->now();
	}
}
