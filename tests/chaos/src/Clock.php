<?php
declare(strict_types=1);

namespace Chaos;

/** The wall clock of some processes, see clock_shim.c. */
final class Clock
{
	private int $offset = 0;

	/** The latest time that it has ever shown, in microseconds. */
	private int $latest = 0;

	public function __construct(public readonly string $file)
	{
		file_put_contents($file, pack('q', 0));
	}

	public function now(): int
	{
		return (int) (microtime(true) * 1e6) + $this->offset;
	}

	/** Sets it forward or back by so many microseconds. */
	public function move(int $by): void
	{
		$this->latest = max($this->latest, $this->now());
		$this->offset += $by;
		// In place: the processes have this very file mapped.
		$file = fopen($this->file, 'r+');
		fwrite($file, pack('q', $this->offset));
		fclose($file);
	}

	/**
	 * Sets it forward past everything it has ever shown, if it is not there anyway. redislock promises growing fences
	 * through a loss of Redis' memory on this condition only, so it has to hold before one.
	 */
	public function catchUp(): void
	{
		$behind = $this->latest - $this->now();
		if ($behind > -10_000) {
			$this->move($behind + 10_000);
		}
	}
}
