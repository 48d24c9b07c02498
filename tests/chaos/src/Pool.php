<?php
declare(strict_types=1);

namespace Chaos;

use RuntimeException;

/** The worker processes. One that was killed is replaced. */
final class Pool
{
	/** @var array<int, Process> slot => worker */
	private array $workers = [];

	/** @var array<int, true> slots of workers that are stopped */
	private array $stopped = [];

	private int $started = 0;

	/**
	 * @param list<string> $php command line of PHP with the extension
	 * @param array<string, mixed> $setup what all workers have in common
	 */
	public function __construct(
		private readonly int $size,
		private readonly array $php,
		private readonly array $setup,
		private readonly string $folder,
		private readonly string $shim,
		private readonly Clock $clock,
		private readonly int $seed,
	) {
	}

	public function start(): void
	{
		for ($slot = 0; $slot < $this->size; $slot++) {
			$this->startOne($slot);
		}
	}

	private function startOne(int $slot): void
	{
		$number = ++$this->started;
		$setup = $this->setup + [
			'name' => "w$number",
			'seed' => $this->seed * 1000 + $number,
			'record' => "$this->folder/w$number.history",
		];
		$this->workers[$slot] = new Process(
			[...$this->php, __DIR__ . '/../worker.php', json_encode($setup, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION)],
			"$this->folder/w$number.log",
			['LD_PRELOAD' => $this->shim, 'CLOCK_SHIFT_FILE' => $this->clock->file],
		);
	}

	/** Slots of workers that run. @return list<int> */
	public function running(): array
	{
		return array_values(array_diff(array_keys($this->workers), array_keys($this->stopped)));
	}

	public function stop(int $slot): void
	{
		$this->workers[$slot]->signal(SIGSTOP);
		$this->stopped[$slot] = true;
	}

	public function continue(int $slot): void
	{
		unset($this->stopped[$slot]);
		$this->workers[$slot]->signal(SIGCONT);
	}

	public function replace(int $slot): void
	{
		$this->workers[$slot]->kill();
		$this->startOne($slot);
	}

	/** No worker ends by itself. */
	public function mustBeAlive(): void
	{
		foreach ($this->workers as $worker) {
			$end = $worker->end();
			if ($end !== null) {
				throw new RuntimeException("a worker ended with status $end[0], signal $end[1]: " . $this->lastWords());
			}
		}
	}

	/** Lets all workers finish what they are doing. */
	public function finish(): void
	{
		foreach (array_keys($this->stopped) as $slot) {
			$this->continue($slot);
		}
		foreach ($this->workers as $worker) {
			$worker->write("stop\n");
		}
		foreach ($this->workers as $worker) {
			$end = $worker->wait(40.0);
			if ($end !== [0, 0]) {
				throw new RuntimeException("a worker ended with status $end[0], signal $end[1]: " . $this->lastWords());
			}
		}
	}

	private function lastWords(): string
	{
		return trim(implode("\n", array_filter(array_map(file_get_contents(...), glob("$this->folder/w*.log")))));
	}

	/** @return list<string> */
	public function records(): array
	{
		return glob("$this->folder/w*.history");
	}
}
