<?php
declare(strict_types=1);

namespace Chaos;

use RuntimeException;

/** A child process. It dies with us, even if we are killed. */
final class Process
{
	/** @var resource */
	private $handle;

	/** @var array<int, resource> */
	private array $pipes = [];

	/** @var ?array{int, int} exit status and signal, once it has ended */
	private ?array $end = null;

	public readonly int $pid;

	/**
	 * @param list<string> $command
	 * @param array<string, string> $environment added to ours
	 */
	public function __construct(array $command, string $log, array $environment = [])
	{
		$this->handle = proc_open(
			['setpriv', '--pdeathsig', 'KILL', ...$command],
			[['pipe', 'r'], ['file', $log, 'a'], ['file', $log, 'a']],
			$this->pipes,
			null,
			$environment + getenv(),
		) ?: throw new RuntimeException("cannot start $command[0]");
		$this->pid = proc_get_status($this->handle)['pid'];
	}

	public function write(string $text): void
	{
		fwrite($this->pipes[0], $text);
	}

	public function signal(int $signal): void
	{
		// Ours until we have waited for it: the number cannot belong to anybody else.
		if ($this->end() === null) {
			posix_kill($this->pid, $signal);
		}
	}

	/** @return ?array{int, int} exit status and signal; null: it is running */
	public function end(): ?array
	{
		if ($this->end === null) {
			$status = proc_get_status($this->handle);
			if (!$status['running']) {
				$this->end = [$status['exitcode'], $status['signaled'] ? $status['termsig'] : 0];
			}
		}
		return $this->end;
	}

	/** Kills it and waits. */
	public function kill(): void
	{
		$this->signal(SIGKILL);
		$this->wait(10.0);
	}

	/** @return array{int, int} exit status and signal */
	public function wait(float $seconds): array
	{
		$until = hrtime(true) + $seconds * 1e9;
		while (($end = $this->end()) === null) {
			if (hrtime(true) > $until) {
				throw new RuntimeException("process $this->pid does not end");
			}
			usleep(1_000);
		}
		return $end;
	}
}
